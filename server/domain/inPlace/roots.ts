import type { Pool } from 'pg'
import { newId } from '../../lib/ids.ts'
import { type Call, type EntryRef, type ExtraRoot, SHARED_WITH_ME } from '../../providers/driver.ts'
import { nothingWhen, ProviderError } from '../../providers/errors.ts'
import type { OpenDriver } from '../accounts/credentials.ts'
import { ContentUnavailableError, InvalidInputError, ProviderFailedError } from '../errors.ts'
import { reasonOfError } from '../files/content/states.ts'
import type { ChangeDeps } from '../files/tree/change.ts'
import type { Viewer } from '../viewer.ts'
import { applyReport } from './apply.ts'

// The trees of an account in addition to its own one. They are hidden until the user chooses them.

/** A shared drive of an account. */
export type AccountDrive = { readonly id: string; readonly name: string; readonly isShown: boolean }

/** What an account has in addition to its own tree. `sharedWithMe` null: the provider does not keep it apart. */
export type AccountRoots = { readonly sharedWithMe: boolean | null; readonly drives: readonly AccountDrive[] }

/** `drives`: ids of all shared drives to show. What is absent stays as it is. */
export type RootsInput = {
  readonly sharedWithMe?: boolean | undefined
  readonly drives?: readonly string[] | undefined
}

type Deps = ChangeDeps & { readonly openDriver: OpenDriver }
type Account = { readonly id: string; readonly name: string }

/** References of the shared drives that are shown, and whether what others share is. */
export type ShownRoots = { readonly sharedWithMe: boolean; readonly drives: readonly string[] }

const TIMEOUT_MS = 60_000

/** @throws ProviderFailedError */
async function rootsOf({ openDriver }: Deps, { id, name }: Account): Promise<readonly ExtraRoot[]> {
  const call: Call = { signal: AbortSignal.timeout(TIMEOUT_MS), requestId: newId() }
  try {
    const driver = await openDriver(id)
    return (await driver.roots?.(call)) ?? []
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    throw new ProviderFailedError(`“${name}” cannot be asked which shared drives there are now. Please try again.`, {
      cause: error,
    })
  }
}

export async function readRoots(deps: Deps, viewer: Viewer, account: Account): Promise<AccountRoots> {
  const all = await rootsOf(deps, account)
  const shown = (await readShownRoots(deps.pool, viewer, [account.id])).get(account.id)
  return {
    sharedWithMe: all.some(({ ref }) => ref === SHARED_WITH_ME) ? (shown?.sharedWithMe ?? false) : null,
    drives: all
      .filter(({ ref }) => ref !== SHARED_WITH_ME)
      .map(({ ref, name }) => ({ id: ref, name, isShown: shown?.drives.includes(ref) ?? false })),
  }
}

export async function readShownRoots(
  pool: Pool,
  { userId }: Viewer,
  accountIds: readonly string[],
): Promise<Map<string, ShownRoots>> {
  const { rows } = await pool.query<{ id: string; roots: readonly string[] }>(
    `select a.id, coalesce(i.roots, '{}') as roots from account_indexes i join accounts a on a.id = i.account_id
     where a.user_id = $1 and a.disconnected_at is null and a.id = any($2::uuid[])`,
    [userId, accountIds],
  )
  const of = (roots: readonly string[]): ShownRoots => ({
    sharedWithMe: roots.includes(SHARED_WITH_ME),
    drives: roots.filter((ref) => ref !== SHARED_WITH_ME),
  })
  return new Map(rows.map(({ id, roots }) => [id, of(roots)]))
}

/** References of everything to show, with names for messages. */
type Asked = { readonly refs: readonly string[]; readonly names: ReadonlyMap<string, string> }

/** @returns null if nothing is to change. @throws InvalidInputError, ProviderFailedError */
export async function requireRoots(
  deps: Deps,
  viewer: Viewer,
  account: Account,
  isIndexed: boolean,
  { sharedWithMe, drives }: RootsInput,
): Promise<Asked | null> {
  if (sharedWithMe === undefined && drives === undefined) return null
  const refuse = (path: string, message: string) => new InvalidInputError([{ path, message }])
  const before = (await readShownRoots(deps.pool, viewer, [account.id])).get(account.id)
  const names = new Map((await rootsOf(deps, account)).map(({ ref, name }) => [ref as string, name]))
  const isWanted = sharedWithMe ?? before?.sharedWithMe ?? false
  const wanted = [...new Set(drives ?? before?.drives ?? [])]
  if (!isIndexed && (isWanted || wanted.length > 0)) {
    throw refuse('scope', 'Please choose to show everything in this account first.')
  }
  if (isWanted && !names.has(SHARED_WITH_ME)) {
    throw refuse('sharedWithMe', 'This account has nothing that is shared with it apart from its own files.')
  }
  // One that the account cannot see any more may stay.
  const unknown = wanted.find((ref) => ref === SHARED_WITH_ME || !(names.has(ref) || before?.drives.includes(ref)))
  if (unknown !== undefined) throw refuse('drives', 'This account has no such shared drive.')
  return { refs: [...(isWanted ? [SHARED_WITH_ME] : []), ...wanted], names }
}

/** @returns the names of what is shown and hidden now and was not before */
export async function showRoots(
  deps: Deps,
  { userId }: Viewer,
  accountId: string,
  { refs, names }: Asked,
): Promise<{ readonly shown: readonly string[]; readonly hidden: readonly string[] }> {
  const { rows } = await deps.pool.query<{ roots: string[]; names: string[] }>(
    `select coalesce(i.roots, '{}') as roots, array(select coalesce(f.name, r.ref) from unnest(i.roots) as r (ref)
       left join account_entries e on e.account_id = i.account_id and e.ref = r.ref left join files f on f.id = e.file_id) as names
     from account_indexes i where i.account_id = $1`,
    [accountId],
  )
  const [before = { roots: [], names: [] }] = rows
  const hidden = before.roots.filter((ref) => !refs.includes(ref))
  const account = { id: accountId, userId, rootFileId: '', rootRef: '', ownFolderRef: null, hash: null }
  const gone = { refs: hidden, paths: [] }
  // In one transaction, so that no change that is being read shows it again.
  await applyReport(
    deps,
    account,
    { from: 'CHANGES', entries: [], gone, confirmed: true },
    {
      after: async (tx) => {
        await tx.query('update account_indexes set roots = $2 where account_id = $1', [accountId, refs])
      },
    },
  )
  const nameOf = (ref: string) => names.get(ref) ?? before.names[before.roots.indexOf(ref)] ?? ref
  return {
    shown: refs.filter((ref) => !before.roots.includes(ref)).map(nameOf),
    hidden: hidden.map(nameOf),
  }
}

/**
 * What a shortcut points to. SHOWN: `targetId` is its entry here. ELSEWHERE: it exists, but is not shown here, for example because it is
 * in a shared drive that was not chosen; `webUrl` opens it. BROKEN: it was deleted, or the account has no access any more.
 */
export type Shortcut = {
  readonly state: 'SHOWN' | 'ELSEWHERE' | 'BROKEN'
  readonly targetId: string | null
  readonly webUrl: string | null
  /** A sentence about it, unless it is SHOWN. */
  readonly message: string | null
}

type ShortcutDeps = { readonly pool: Pool; readonly openDriver: OpenDriver }

type Row = {
  readonly name: string
  readonly accountId: string
  readonly accountName: string
  readonly target: string | null
  readonly targetId: string | null
}

/** The entry in the same account that table alias `e` points to, while it is shown. */
const TARGET_ID = `(select t.file_id from account_entries t join files g on g.id = t.file_id
  where t.account_id = e.account_id and t.ref = e.target and t.gone_at is null and g.purged_at is null and g.trash_root_id is null)`

const TARGETS = `select f.id, ${TARGET_ID} as "targetId" from account_entries e join files f on f.id = e.file_id
  where e.file_id = any($2::uuid[]) and f.user_id = $1 and e.target is not null and f.purged_at is null`

/** The entries that these shortcuts point to, while they are shown; others are missing. */
export async function findTargets(
  { pool }: Pick<ShortcutDeps, 'pool'>,
  { userId }: Viewer,
  fileIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ id: string; targetId: string | null }>(TARGETS, [userId, fileIds])
  return new Map(rows.flatMap(({ id, targetId }) => (targetId === null ? [] : [[id, targetId] as const])))
}

const SHORTCUT = `select f.name, a.id as "accountId", a.name as "accountName", e.target, ${TARGET_ID} as "targetId"
  from account_entries e join files f on f.id = e.file_id join accounts a on a.id = e.account_id
  where e.file_id = $2 and f.user_id = $1 and e.native_kind = 'SHORTCUT' and f.purged_at is null`

const SHORTCUT_TIMEOUT_MS = 20_000

/**
 * Asks the account only about what is not shown here.
 * @returns null for what is no shortcut
 * @throws ContentUnavailableError if the account cannot be asked
 */
export async function findShortcut(deps: ShortcutDeps, { userId }: Viewer, fileId: string): Promise<Shortcut | null> {
  const { rows } = await deps.pool.query<Row>(SHORTCUT, [userId, fileId])
  const [row] = rows
  if (!row) return null
  const { name, accountName, target, targetId } = row
  if (targetId !== null) return { state: 'SHOWN', targetId, webUrl: null, message: null }
  const entry = target === null ? null : await stat(deps, row, target as EntryRef)
  if (entry) {
    const message = `“${name}” points to “${entry.name}”, which is not shown here. It can be opened at its provider.`
    return { state: 'ELSEWHERE', targetId: null, webUrl: entry.details?.webUrl ?? null, message }
  }
  const message = `“${name}” points to something that was deleted, or that “${accountName}” cannot see any more.`
  return { state: 'BROKEN', targetId: null, webUrl: null, message }
}

async function stat({ openDriver }: ShortcutDeps, { name, accountId, accountName }: Row, target: EntryRef) {
  const call: Call = { signal: AbortSignal.timeout(SHORTCUT_TIMEOUT_MS), requestId: newId(), lastChance: true }
  try {
    const driver = await openDriver(accountId)
    return await driver.stat(call, target).catch(nothingWhen('NotFound'))
  } catch (error) {
    if (!(error instanceof ProviderError) && !call.signal.aborted) throw error
    const [reason = `“${accountName}” does not answer`] = reasonOfError(accountName, error)
    throw new ContentUnavailableError(`It cannot be checked what “${name}” points to: ${reason}.`, { cause: error })
  }
}
