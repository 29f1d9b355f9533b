import type { Pool } from 'pg'
import { transaction } from '../../db/pool.ts'
import type { Driver } from '../../providers/driver.ts'
import { isFailure } from '../../providers/errors.ts'
import type { OpenDriver } from '../accounts/credentials.ts'
import { ConflictError, InvalidInputError, NotFoundError } from '../errors.ts'
import { type ChangeDeps, changeTree, lockAccounts } from '../files/tree/change.ts'
import { dropAccountFolder, insertAccountFolder } from '../files/tree/folders.ts'
import type { LeaveProtection } from '../jobs.ts'
import type { Viewer } from '../viewer.ts'
import { applyReport, type IndexedAccount } from './apply.ts'
import { requestPass } from './pass.ts'
import {
  type AccountRoots,
  findShortcut,
  findTargets,
  type RootsInput,
  readRoots,
  readShownRoots,
  requireRoots,
  type Shortcut,
  type ShownRoots,
  showRoots,
} from './roots.ts'

/** EVERYTHING: all that the account holds is shown, in a folder of its name. OWN: only what Skypool stores in it. */
export type AccountScope = 'EVERYTHING' | 'OWN'

/**
 * FIRST_PASS: the account is being listed for the first time. LIVE: changes are read as they happen. WALK: the provider reports no
 * changes, so everything is listed again each night, and a folder when it is opened. HELD: more than half of it seems to be gone, which
 * the user has to confirm. PAUSED: it cannot be read now, and its entries are shown as they were.
 */
export type IndexPhase = 'FIRST_PASS' | 'LIVE' | 'WALK' | 'HELD' | 'PAUSED'

export type AccountIndex = {
  readonly accountId: string
  readonly rootFileId: string
  readonly phase: IndexPhase
  /** Number of entries that are known, without the root. */
  readonly entries: number
  /** How many there may be, from the last complete listing; null: not known. */
  readonly expected: number | null
  /** Since when the account is being listed; null while it is not. */
  readonly startedAt: Date | null
  /** When changes of the account were last read; with WALK, when the last complete listing began. Null: never. */
  readonly asOf: Date | null
  /** Message: why it cannot be read; null while it can. */
  readonly problem: string | null
  /** Entries that are reported as gone and wait for the user's decision. */
  readonly heldDeletions: number
}

/** What to show of an account. What is absent stays as it is. */
export type ShownInput = RootsInput & { readonly scope?: AccountScope | undefined }

export interface InPlaceService {
  /** Indexes of the viewer's accounts; accounts of scope OWN are missing. */
  indexes(viewer: Viewer, accountIds: readonly string[]): Promise<Map<string, AccountIndex>>
  /** The entries that these shortcuts point to, while they are shown; others are missing. */
  targets(viewer: Viewer, fileIds: readonly string[]): Promise<Map<string, string>>
  /** What a shortcut points to; null for everything else. @throws ContentUnavailableError if its account cannot be asked */
  shortcut(viewer: Viewer, fileId: string): Promise<Shortcut | null>
  /** The accounts among these of which everything can be shown: provider and granted access allow it, and it is connected. */
  showable(viewer: Viewer, accountIds: readonly string[]): Promise<Set<string>>
  /**
   * Shows everything in an account, or only what Skypool stores. Changes nothing at the provider. Stars and links of entries in place
   * end with OWN. Does nothing if the account has that scope.
   * @throws NotFoundError, InvalidInputError where the provider or the granted access does not allow it, ConflictError while the
   * account needs to be connected again, or the entries of an earlier index are being removed
   */
  setScope(viewer: Viewer, accountId: string, scope: AccountScope): Promise<void>
  /** Asks the provider which trees the account has in addition to its own one. @throws NotFoundError, ProviderFailedError */
  roots(viewer: Viewer, accountId: string): Promise<AccountRoots>
  /** Which of them are shown, by account id; accounts of scope OWN are missing. */
  shownRoots(viewer: Viewer, accountIds: readonly string[]): Promise<Map<string, ShownRoots>>
  /**
   * Changes what is shown of an account, all or nothing of it. What is hidden loses its stars and links; nothing changes at the provider.
   * @returns what is different now. @throws as setScope and roots, InvalidInputError for drives that the account does not have
   */
  setShown(viewer: Viewer, accountId: string, shown: ShownInput): Promise<ShownChange>
  /**
   * Of an account that was just connected: `scope`, by default EVERYTHING where that is possible. If the entries of an earlier connection
   * are still being removed, everything is shown as soon as they are. @throws NotFoundError, InvalidInputError as setScope
   */
  setFirstScope(viewer: Viewer, accountId: string, scope: AccountScope | undefined): Promise<void>
  /** Lists the whole account again. @throws NotFoundError, also for accounts of scope OWN */
  refresh(viewer: Viewer, accountId: string): Promise<void>
  /** Hides the held entries, or keeps them and lists the account again. @throws NotFoundError, ConflictError when nothing is held */
  decideDeletions(viewer: Viewer, accountId: string, accept: boolean): Promise<void>
}

export type InPlaceDeps = ChangeDeps & {
  readonly openDriver: OpenDriver
  readonly leaveProtection?: LeaveProtection
  /** Reads the feeds of accounts that have just become due. */
  readonly wakeFeed?: () => void
}

export function createInPlaceService(deps: InPlaceDeps): InPlaceService {
  const { pool, events } = deps
  const changed = ({ userId }: Viewer, accountId: string) =>
    events.publish('accountsChanged', userId, { accountIds: [accountId] })

  const service: InPlaceService = {
    indexes: (viewer, accountIds) => readIndexes(pool, viewer, accountIds),
    targets: (viewer, fileIds) => findTargets(deps, viewer, fileIds),
    shortcut: (viewer, fileId) => findShortcut(deps, viewer, fileId),
    showable: (viewer, accountIds) => findShowable(deps, viewer, accountIds),
    async setScope(viewer, accountId, scope) {
      await service.setShown(viewer, accountId, { scope })
    },
    roots: async (viewer, accountId) => readRoots(deps, viewer, await requireAccount(pool, viewer, accountId)),
    shownRoots: (viewer, accountIds) => readShownRoots(pool, viewer, accountIds),
    async setShown(viewer, accountId, { scope, ...roots }) {
      const account = await requireAccount(pool, viewer, accountId)
      const isShown = (await readIndexes(pool, viewer, [accountId])).has(accountId)
      const asked =
        scope === 'OWN' ? null : await requireRoots(deps, viewer, account, isShown || scope !== undefined, roots)
      if (scope === 'OWN') await turnOff(deps, viewer, accountId)
      else if (scope) await turnOn(deps, viewer, account)
      const names = asked === null ? { shown: [], hidden: [] } : await showRoots(deps, viewer, accountId, asked)
      if (asked !== null) await dueNow(deps, accountId)
      changed(viewer, accountId)
      return { ...names, scope: scope !== undefined && (scope === 'EVERYTHING') !== isShown ? scope : null }
    },
    async setFirstScope(viewer, accountId, scope) {
      const isPossible = (await findShowable(deps, viewer, [accountId])).has(accountId)
      const first = scope ?? (isPossible ? 'EVERYTHING' : 'OWN')
      if (first === 'OWN') return
      if (await hasEntries(pool, accountId)) await showLater(deps, viewer, accountId)
      else await service.setScope(viewer, accountId, first)
    },
    async refresh(viewer, accountId) {
      await requireIndex(pool, viewer, accountId)
      await requestPass(pool, accountId)
      await dueNow(deps, accountId)
      changed(viewer, accountId)
    },
    async decideDeletions(viewer, accountId, accept) {
      const { heldDeletions } = await requireIndex(pool, viewer, accountId)
      if (heldDeletions === 0) throw new ConflictError('Nothing of this account waits for a decision.')
      if (accept) await hideHeld(deps, viewer, accountId)
      else await keepHeld(pool, accountId)
      await dueNow(deps, accountId)
      changed(viewer, accountId)
    },
  }
  return service
}

/** What a change of the shown trees did: names of those that are shown or hidden now; `scope` null: unchanged. */
export type ShownChange = {
  readonly shown: readonly string[]
  readonly hidden: readonly string[]
  readonly scope: AccountScope | null
}

/** For EVERYTHING where the provider, or the access that this server asks for, does not allow it. */
export function scopeRefusal(providerName: string): InvalidInputError {
  const message = `Skypool can see only what it stores in accounts of ${providerName}.`
  return new InvalidInputError([{ path: 'scope', message }])
}

/** An index needs a complete listing. Without a feed of changes, it is repeated. */
function canShow({ listAll }: Driver): boolean {
  return listAll !== undefined
}

async function findShowable(
  { pool, openDriver }: InPlaceDeps,
  { userId }: Viewer,
  accountIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from accounts where user_id = $1 and id = any($2::uuid[]) and disconnected_at is null
       and status = 'CONNECTED' and provider <> 'local'`,
    [userId, accountIds],
  )
  const showable = new Set<string>()
  for (const { id } of rows) {
    // The settings of the provider can be missing since the last start.
    const driver = await openDriver(id).catch((error: unknown) => {
      if (isFailure(error, 'ReconnectNeeded') || isFailure(error, 'Misconfigured')) return null
      throw error
    })
    if (driver && canShow(driver)) showable.add(id)
  }
  return showable
}

type AccountRow = { readonly id: string; readonly name: string; readonly provider: string }

/** @throws NotFoundError */
async function requireAccount(pool: Pool, { userId }: Viewer, id: string): Promise<AccountRow> {
  const { rows } = await pool.query<AccountRow>(
    'select id, name, provider from accounts where id = $1 and user_id = $2 and disconnected_at is null',
    [id, userId],
  )
  const [row] = rows
  if (!row) throw new NotFoundError()
  return row
}

const INDEXES = `select i.account_id as "accountId", i.root_file_id as "rootFileId", i.entries, i.as_of as "asOf",
    case when i.passed_at is null then a.last_entries end as expected,
    case when i.passed_at is null then i.pass_started_at end as "startedAt",
    case when a.status <> 'CONNECTED' then coalesce(a.status_reason, 'The account needs to be connected again.')
      when a.unreachable_since is not null then coalesce(a.status_reason, 'The provider does not answer.') end as problem,
    i.held as "heldDeletions",
    case when i.held > 0 then 'HELD' when a.status <> 'CONNECTED' or a.unreachable_since is not null then 'PAUSED'
      when i.passed_at is null then 'FIRST_PASS' when i.walked then 'WALK' else 'LIVE' end as phase
  from account_indexes i join accounts a on a.id = i.account_id
  where a.user_id = $1 and a.disconnected_at is null and i.account_id = any($2::uuid[])`

async function readIndexes(
  pool: Pool,
  { userId }: Viewer,
  accountIds: readonly string[],
): Promise<Map<string, AccountIndex>> {
  const { rows } = await pool.query<AccountIndex>(INDEXES, [userId, accountIds])
  return new Map(rows.map((row) => [row.accountId, row]))
}

/** @throws NotFoundError */
async function requireIndex(pool: Pool, viewer: Viewer, accountId: string): Promise<AccountIndex> {
  await requireAccount(pool, viewer, accountId)
  const index = (await readIndexes(pool, viewer, [accountId])).get(accountId)
  if (!index)
    throw new NotFoundError('Only what Skypool stores is shown of this account, so there is nothing to look for.')
  return index
}

async function hasEntries(sql: Pick<Pool, 'query'>, accountId: string): Promise<boolean> {
  return (await sql.query('select from account_entries where account_id = $1 limit 1', [accountId])).rowCount === 1
}

/** The connection must not fail because of what is left of the one before. Replaces the job that would only remove it. */
async function showLater({ pool, enqueue }: InPlaceDeps, { userId }: Viewer, accountId: string): Promise<void> {
  await transaction(pool, (tx) =>
    enqueue(tx, 'forgetEntries', { accountId, thenShowTo: userId }, { key: `forget ${accountId}` }),
  )
}

/** The account is expired, or the provider's settings are missing since the last start. @throws ConflictError */
function refuseUnusable(error: unknown): never {
  const isUnusable = isFailure(error, 'ReconnectNeeded') || isFailure(error, 'Misconfigured')
  throw isUnusable ? new ConflictError(error.detail.message, { cause: error }) : error
}

async function turnOn(deps: InPlaceDeps, viewer: Viewer, { id, name, provider }: AccountRow): Promise<void> {
  const driver = provider === 'local' ? null : await deps.openDriver(id).catch(refuseUnusable)
  if (driver === null || !canShow(driver)) {
    const message =
      driver === null
        ? 'The storage of this server holds only what Skypool stores.'
        : 'Skypool can see only what it stores in this account.'
    throw new InvalidInputError([{ path: 'scope', message }])
  }
  await changeTree(deps, viewer, async (change) => {
    const { tx } = change
    if ((await tx.query('select from account_indexes where account_id = $1', [id])).rowCount === 1) return
    if (await hasEntries(tx, id)) {
      throw new ConflictError('The entries of this account are still being removed. Please try again in a minute.')
    }
    const rootId = await insertAccountFolder(change, { id, name })
    await tx.query('insert into account_indexes (account_id, root_file_id, walked) values ($1, $2, $3)', [
      id,
      rootId,
      !driver.changes,
    ])
  })
  await dueNow(deps, id)
}

async function turnOff(deps: InPlaceDeps, viewer: Viewer, accountId: string): Promise<void> {
  await changeTree(deps, viewer, async (change) => {
    const { tx, parentIds, removedIds, enqueue } = change
    await lockAccounts(change)
    await deps.leaveProtection?.(tx, enqueue, { userId: viewer.userId, accountId, keep: false })
    const rootId = await dropAccountFolder(change, accountId)
    if (rootId === null) return
    await enqueue(tx, 'forgetEntries', { accountId }, { key: `forget ${accountId}` })
    removedIds.add(rootId)
    parentIds.add(null)
  })
}

/** The account's feed is read at once. */
async function dueNow({ pool, wakeFeed }: InPlaceDeps, accountId: string): Promise<void> {
  await pool.query(
    // Rounded down: the column has milliseconds, and a later one would not be due yet.
    `insert into account_feeds (account_id, next_at) values ($1, date_trunc('milliseconds', now()))
     on conflict (account_id) do update set next_at = excluded.next_at`,
    [accountId],
  )
  wakeFeed?.()
}

/** Held entries per transaction. */
const BATCH = 1_000

async function hideHeld(deps: InPlaceDeps, viewer: Viewer, accountId: string): Promise<void> {
  const account: IndexedAccount = {
    id: accountId,
    userId: viewer.userId,
    rootFileId: '',
    rootRef: '',
    ownFolderRef: null,
    hash: null,
  }
  for (let count = BATCH; count > 0; ) {
    const { rows } = await deps.pool.query<{ ref: string }>(
      'select ref from account_entries where account_id = $1 and held limit $2',
      [accountId, BATCH],
    )
    count = rows.length
    const gone = { refs: rows.map(({ ref }) => ref), paths: [] }
    if (count > 0) await applyReport(deps, account, { from: 'CHANGES', entries: [], gone, confirmed: true })
  }
}

async function keepHeld(pool: Pool, accountId: string): Promise<void> {
  await pool.query('update account_entries set held = false where account_id = $1 and held', [accountId])
  await pool.query('update account_indexes set held = 0 where account_id = $1', [accountId])
  await requestPass(pool, accountId, { restart: true })
}
