import type { Pool } from 'pg'
import { transaction } from '../../db/pool.ts'
import { createSemaphore } from '../../lib/concurrency.ts'
import { newId } from '../../lib/ids.ts'
import type { Call, Change, Driver, EntryRef } from '../../providers/driver.ts'
import { nothingWhen, ProviderError } from '../../providers/errors.ts'
import type { ThumbnailStore } from '../../storage/thumbnailStore.ts'
import type { OpenDriver } from '../accounts/credentials.ts'
import type { AccountHealth } from '../accounts/health.ts'
import { DomainError, InvalidInputError, NotFoundError } from '../errors.ts'
import { IN_PLACE_KEY } from '../files/content/hashes.ts'
import type { ChangeDeps } from '../files/tree/change.ts'
import type { OpenedFolder } from '../files/tree/listing.ts'
import type { ChangeInPlace } from '../files/tree/step.ts'
import type { Enqueue, InPlaceHousekeeping } from '../jobs.ts'
import { applyReport, type IndexedAccount, reportOf } from './apply.ts'
import { askEach, countOwnChanges, type Folder, listFolder, unlessForbidden } from './ask.ts'
import { forgetTrashed } from './entries.ts'
import { requestParents, requestPass, stepPass } from './pass.ts'
import type { InPlaceService } from './service.ts'
import { takePlace } from './takePlace.ts'

type CallOf = () => Call

/** How often a folder is listed when something in it is changed here during each listing. */
const MOST_LOOKS = 3

/**
 * Keeps the index of accounts equal to what they hold. One process at a time calls it for an account: the one that reads its feed. All
 * methods do nothing for accounts without an index.
 */
export type Indexer = {
  /**
   * Stores changes, in their order. Repeating them is harmless. `ownChanges`: the account's number of changes made here, as it was before
   * these were requested. @throws ProviderError
   */
  applyChanges(
    accountId: string,
    driver: Driver,
    changes: readonly Change[],
    callOf: CallOf,
    ownChanges: number,
  ): Promise<void>
  /** There may have been changes that the feed did not contain: lists the account again. */
  onInterrupted(accountId: string): Promise<void>
  /** Tells clients that the number of entries has grown. */
  publishProgress(accountId: string): Promise<void>
  /** The next step of listing an account. @returns whether another one is due. @throws ProviderError */
  step(accountId: string, driver: Driver, callOf: CallOf): Promise<boolean>
  /** Lists one folder that a user opened. @returns whether it was read and is there. @throws ProviderError */
  look(accountId: string, driver: Driver, folder: Folder, callOf: CallOf): Promise<boolean>
}

export function createIndexer(deps: ChangeDeps): Indexer {
  const { pool } = deps
  return {
    async applyChanges(accountId, driver, changes, callOf, ownChanges) {
      const account = await findIndexed(deps, accountId, driver, callOf)
      if (!account) return
      await pool.query('update account_indexes set as_of = now() where account_id = $1', [accountId])
      if (changes.length === 0) return
      const now = await countOwnChanges(pool, accountId)
      const asked = now === ownChanges ? [] : await askAboutContradicted(deps, account, driver, callOf, changes)
      await applyReport(deps, account, { ...reportOf([...changes, ...asked]), ownChanges: now })
      await requestParents(deps, account, driver, callOf)
      await forgetOwnObjects(deps, account, driver, callOf)
    },
    onInterrupted: (accountId) => requestPass(pool, accountId, { restart: true }),
    async publishProgress(accountId) {
      const { rows } = await pool.query<{ userId: string }>('select user_id as "userId" from accounts where id = $1', [
        accountId,
      ])
      for (const { userId } of rows) deps.events.publish('accountsChanged', userId, { accountIds: [accountId] })
    },
    async step(accountId, driver, callOf) {
      const account = await findIndexed(deps, accountId, driver, callOf)
      if (!account) return false
      return (await stepPass(deps, account, driver, callOf)) || listAppeared(deps, account, driver, callOf)
    },
    async look(accountId, driver, folder, callOf) {
      const account = await findIndexed(deps, accountId, driver, callOf)
      if (!account) return false
      for (let tries = 0; tries < MOST_LOOKS; tries += 1) {
        const outcome = await listFolder(deps, account, driver, callOf, folder)
        if (outcome !== 'CHANGED') return outcome === 'LISTED'
      }
      return false
    },
  }
}

type Row = Omit<IndexedAccount, 'rootRef' | 'hash'> & { readonly rootRef: string | null; readonly walked: boolean }

const INDEXED = `select a.id, a.user_id as "userId", i.root_file_id as "rootFileId", i.root_ref as "rootRef", a.home_ref as "ownFolderRef",
    i.walked
  from account_indexes i join accounts a on a.id = i.account_id where i.account_id = $1`

/** @throws ProviderError if its root is requested for the first time */
async function findIndexed(
  deps: ChangeDeps,
  accountId: string,
  driver: Driver,
  callOf: CallOf,
): Promise<IndexedAccount | null> {
  const { pool } = deps
  const { rows } = await pool.query<Row>(INDEXED, [accountId])
  const [row] = rows
  if (!row) return null
  const { walked, ...known } = row
  const rootRef = row.rootRef ?? (await driver.stat(callOf(), driver.root)).ref
  if (walked !== !driver.changes) {
    await pool.query('update account_indexes set walked = $2 where account_id = $1', [accountId, !driver.changes])
  }
  if (row.rootRef === null) {
    await pool.query('update account_indexes set root_ref = $2 where account_id = $1', [accountId, rootRef])
  }
  const account = { ...known, rootRef, hash: driver.capabilities.hash }
  await hideOwnFolder(deps, account)
  return account
}

/** Shown entries per report of changes that the account is asked about; the others are right at the next poll. */
const MOST_ASKED = 100

const CONTRADICTED = `(select ref from account_entries
    where account_id = $1 and ref = any($2::text[]) and gone_at is null limit ${MOST_ASKED})
  union all select e.ref from account_entries e join files f on f.id = e.file_id
    where e.account_id = $1 and e.ref = any($3::text[]) and e.gone_at is not null and f.trash_root_id is not null`

/**
 * Asks the account about entries that are gone according to these changes but shown here, or the other way round in the trash here: a
 * user may have restored them, or moved them to the trash, since the changes were requested. @throws ProviderError
 */
async function askAboutContradicted(
  { pool }: ChangeDeps,
  { id }: IndexedAccount,
  driver: Driver,
  callOf: CallOf,
  changes: readonly Change[],
): Promise<Change[]> {
  const { gone, entries } = reportOf(changes)
  const refs = entries.map(({ ref }) => ref)
  const { rows } = await pool.query<{ ref: EntryRef }>(CONTRADICTED, [id, gone.refs, refs])
  return askEach(
    driver,
    callOf,
    rows.map(({ ref }) => ref),
  )
}

/** It can have been listed before it was known to be Skypool's: it was there when the account was connected, or after a crash. */
async function hideOwnFolder(deps: ChangeDeps, account: IndexedAccount): Promise<void> {
  if (account.ownFolderRef === null) return
  const { rowCount } = await deps.pool.query(
    'select from account_entries where account_id = $1 and ref = $2 and gone_at is null',
    [account.id, account.ownFolderRef],
  )
  if (rowCount === 0) return
  const gone = { refs: [account.ownFolderRef], paths: [] }
  await applyReport(deps, account, { from: 'CHANGES', entries: [], gone, confirmed: true })
}

/** Where services name folders by path, objects that Skypool stores wait for a folder that is not indexed. */
async function forgetOwnObjects(
  { pool }: ChangeDeps,
  { id, ownFolderRef }: IndexedAccount,
  driver: Driver,
  callOf: CallOf,
): Promise<void> {
  if (ownFolderRef === null) return
  const { rowCount } = await pool.query(
    `select from unplaced_entries where account_id = $1 and parent like '/%' limit 1`,
    [id],
  )
  if (rowCount === 0) return
  const folder = await driver.stat(callOf(), ownFolderRef as EntryRef).catch(nothingWhen('NotFound'))
  if (folder?.path === undefined) return
  await pool.query(
    `delete from unplaced_entries where account_id = $1 and (parent = $2 or starts_with(parent, $2 || '/'))`,
    [id, folder.path],
  )
}

/** Lists one folder that appeared with its content. @returns whether there may be another one */
async function listAppeared(
  deps: ChangeDeps,
  account: IndexedAccount,
  driver: Driver,
  callOf: CallOf,
): Promise<boolean> {
  const { rows } = await deps.pool.query<Folder>(
    'select file_id as "fileId", ref from account_entries where account_id = $1 and unlisted order by file_id limit 1',
    [account.id],
  )
  const [folder] = rows
  if (!folder) return false
  const outcome = await listFolder(deps, account, driver, callOf, folder).catch(unlessForbidden(driver))
  if (outcome !== 'CHANGED') {
    await deps.pool.query('update account_entries set unlisted = false where file_id = $1', [folder.fileId])
  }
  return true
}

/** Rows per transaction. */
const BATCH = 500

/** An hour is longer than a provider takes to report both halves of a move. */
const FORGET_AFTER = "interval '1 hour'"

type HousekeepingDeps = {
  readonly pool: Pool
  readonly enqueue: Enqueue
  readonly openDriver: OpenDriver
  readonly changeInPlace: ChangeInPlace
  /** Absent: nothing that is removed is shown afterwards. */
  readonly inPlace?: Pick<InPlaceService, 'setScope'>
  /** Absent: no thumbnails are kept. */
  readonly thumbnails?: Pick<ThumbnailStore, 'remove'>
}

export function createInPlaceHousekeeping(deps: HousekeepingDeps): InPlaceHousekeeping {
  const { pool, enqueue, thumbnails } = deps
  return {
    async forgetEntries(accountId, signal, thenShowTo) {
      for (let count = BATCH; count > 0; ) {
        signal.throwIfAborted()
        const forgotten = await forgetSome(pool, accountId)
        await thumbnails?.remove(forgotten.flatMap(({ key }) => key ?? []))
        count = forgotten.length
      }
      await pool.query(
        `delete from unplaced_entries where account_id = $1
         and not exists (select from account_indexes i where i.account_id = $1)`,
        [accountId],
      )
      if (!thenShowTo) return
      await deps.inPlace
        ?.setScope({ userId: thenShowTo, sessionId: null }, accountId, 'EVERYTHING')
        .catch(unlessImpossible)
    },
    async sweepEntries() {
      const { rows } = await pool.query<{ accountId: string }>(
        `select distinct e.account_id as "accountId" from account_entries e
           join files f on f.id = e.file_id
         where gone_at < now() - ${FORGET_AFTER} and f.purged_at is not null
           or not exists (select from account_indexes i where i.account_id = e.account_id)`,
      )
      await transaction(pool, async (tx) => {
        for (const { accountId } of rows) {
          await enqueue(tx, 'forgetEntries', { accountId }, { key: `forget ${accountId}` })
        }
      })
    },
    takePlace: (replacing) => takePlace(deps, replacing),
    async expireTrash(signal) {
      const { rows } = await pool.query<ExpiredEntry>(EXPIRED)
      for (const entry of rows) {
        signal.throwIfAborted()
        await expire(deps, entry).catch(onlyRefusals)
      }
    },
  }
}

/** The account was disconnected in the meantime, or this server may see less of it now. Other errors are for the next attempt. */
function unlessImpossible(error: unknown): void {
  if (!(error instanceof NotFoundError) && !(error instanceof InvalidInputError)) throw error
}

type ExpiredEntry = { readonly id: string; readonly userId: string; readonly accountId: string }

const EXPIRED = `select id, user_id as "userId", account_id as "accountId" from files
  where trashed_at < now() - interval '30 days' and purged_at is null and account_id is not null order by trashed_at, id limit ${BATCH}`

async function expire(
  { pool, openDriver, changeInPlace }: HousekeepingDeps,
  { id, userId, accountId }: ExpiredEntry,
): Promise<void> {
  const driver = await openDriver(accountId)
  if (driver.trash) await transaction(pool, (tx) => forgetTrashed(tx, id))
  else await changeInPlace({ userId }, { kind: 'REMOVE', id })
}

function onlyRefusals(error: unknown): void {
  if (!(error instanceof DomainError) && !(error instanceof ProviderError)) throw error
}

/**
 * Removes rows without children, so from the bottom up: those that are gone, or all if the account has no index any more.
 * @returns them, with the keys of the thumbnails that they may have
 */
async function forgetSome(pool: Pool, accountId: string): Promise<readonly { readonly key: string | null }[]> {
  const { rows } = await pool.query<{ key: string | null }>(
    `with picked as (
       select f.id, case when f.category in ('IMAGE', 'VIDEO', 'PDF') then ${IN_PLACE_KEY} end as key
       from account_entries e join files f on f.id = e.file_id
       where e.account_id = $1 and not exists (select from files c where c.parent_id = f.id)
         and (f.purged_at is not null and e.gone_at < now() - ${FORGET_AFTER}
           or not exists (select from account_indexes i where i.account_id = $1))
       limit $2),
     gone as (delete from files where id in (select id from picked) returning id)
     select picked.key from picked join gone on gone.id = picked.id`,
    [accountId, BATCH],
  )
  if (rows.length > 0) return rows
  await pool.query(
    `delete from files f where f.account_id = $1 and f.purged_at is not null and f.parent_id is null
       and not exists (select from files c where c.parent_id = f.id)
       and not exists (select from account_indexes i where i.account_id = $1)`,
    [accountId],
  )
  return []
}

/** A folder that was listed within this time is listed again at the end of it: clients read it again after each change that a list finds. */
const LOOK_EVERY_S = 10
/** Lists at once, in this process. */
const CONCURRENCY = 4
/** Folders that wait, for their turn or until they are due. What is opened beyond that shows what the last listing found. */
const MOST_WAITING = 100
const MOST_NOT_DUE = 1_000
const TIMEOUT_MS = 60_000
/** How long it is remembered that an account is followed by its feed. */
const FOLLOWED_MS = 60_000

/** Folders of accounts whose providers report no changes are listed again when they are opened. */
export type FolderLooks = {
  /** Returns at once: what the list finds is published as a change. */
  opened(folder: OpenedFolder): void
  /** Resolves when no list is running; some may become due later. */
  whenIdle(): Promise<void>
  close(): Promise<void>
}

type Deps = ChangeDeps & {
  readonly openDriver: OpenDriver
  readonly report: Pick<AccountHealth, 'failed' | 'worked'>
  readonly onError: (error: unknown) => void
}

type Opened = {
  readonly accountId: string
  readonly ref: EntryRef | null
  readonly walked: boolean
  readonly isUsable: boolean
  /** Seconds until it may be listed again. */
  readonly dueIn: number
}

const OPENED = `select i.account_id as "accountId", case when f.id = i.root_file_id then i.root_ref else e.ref end as ref,
    i.walked, a.status = 'CONNECTED' and a.disconnected_at is null and a.unreachable_since is null as "isUsable",
    coalesce((select ${LOOK_EVERY_S} - extract(epoch from now() - l.at)::float8
      from (select case when f.id = i.root_file_id then i.looked_at else e.looked_at end as at) l
      where l.at between now() - make_interval(secs => ${LOOK_EVERY_S}) and now()), 0) as "dueIn"
  from files f join account_indexes i on i.account_id = f.account_id join accounts a on a.id = i.account_id
    left join account_entries e on e.file_id = f.id
  where f.id = $1 and f.user_id = $2 and f.kind = 'FOLDER' and f.purged_at is null and f.trash_root_id is null`

const LOOKED = `with entry as (update account_entries set looked_at = now() where file_id = $1)
  update account_indexes set looked_at = now() where root_file_id = $1`

export function createFolderLooks(deps: Deps): FolderLooks {
  const { pool, events, report, onError } = deps
  const indexer = createIndexer(deps)
  const inTurn = createSemaphore(CONCURRENCY)
  const closing = new AbortController()
  const running = new Map<string, Promise<void>>()
  /** Folders that were opened and are not due yet. */
  const later = new Map<string, NodeJS.Timeout>()
  const followed = new Map<string, number>()

  const callOf = (): Call => ({
    signal: AbortSignal.any([closing.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    requestId: newId(),
  })

  async function look(opened: OpenedFolder): Promise<void> {
    const { userId, folderId } = opened
    if (closing.signal.aborted) return
    const { rows } = await pool.query<Opened>({ name: 'in place opened', text: OPENED, values: [folderId, userId] })
    const [folder] = rows
    if (folder && !folder.walked) followed.set(folder.accountId, Date.now() + FOLLOWED_MS)
    if (!folder?.walked || !folder.isUsable || folder.ref === null) return
    if (folder.dueIn > 0) return lookLater(opened, folder.dueIn)
    const { accountId, ref } = folder
    try {
      const driver = await deps.openDriver(accountId)
      if (!(await indexer.look(accountId, driver, { fileId: folderId, ref }, callOf))) return
      report.worked(accountId)
    } catch (error) {
      if (closing.signal.aborted || !(error instanceof ProviderError)) throw error
      report.failed(accountId, error)
      return
    }
    await pool.query(LOOKED, [folderId])
    events.publish('filesChanged', userId, { fileIds: [folderId], removedIds: [], parentIds: [], truncated: false })
  }

  function lookLater(opened: OpenedFolder, seconds: number): void {
    const { folderId } = opened
    if (closing.signal.aborted || later.has(folderId) || later.size >= MOST_NOT_DUE) return
    const look = (): void => {
      later.delete(folderId)
      begin(opened)
    }
    later.set(folderId, setTimeout(look, seconds * 1000).unref())
  }

  function begin(opened: OpenedFolder): void {
    const { folderId } = opened
    if (running.has(folderId) || running.size >= MOST_WAITING || closing.signal.aborted) return
    const work = inTurn(() => look(opened))
      .catch((error: unknown) => {
        if (!closing.signal.aborted) onError(error)
      })
      .finally(() => running.delete(folderId))
    running.set(folderId, work)
  }

  function isFollowed(accountId: string): boolean {
    const until = followed.get(accountId)
    if (until === undefined) return false
    if (until > Date.now()) return true
    followed.delete(accountId)
    return false
  }

  return {
    opened(folder) {
      const { folderId, accountId } = folder
      if ((accountId && isFollowed(accountId)) || later.has(folderId)) return
      begin(folder)
    },
    async whenIdle() {
      while (running.size > 0) await Promise.all(running.values())
    },
    async close() {
      closing.abort(new Error('The server is shutting down.'))
      for (const waiting of later.values()) clearTimeout(waiting)
      await Promise.all(running.values())
    },
  }
}
