import type pg from 'pg'
import { retryConflicts, transaction } from '../../../db/pool.ts'
import { ConflictError, FolderCycleError, InvalidInputError, NotFoundError } from '../../errors.ts'
import type { Events } from '../../events.ts'
import type { Enqueue } from '../../jobs.ts'
import type { Viewer } from '../../viewer.ts'
import type { FileKind } from '../contract.ts'
import type { Queryable } from './entries.ts'

/** Limit for one request (FilesService). */
const MOST_IDS_ASKED = 10_000
/** First half of the advisory lock for changes of one user's tree; the second half is derived from the user's id. */
const TREE_LOCK = 0x5b1f
const LOCK_TREE = 'select pg_advisory_xact_lock($1, hashtext($2))'

/** A change of one user's tree: its transaction, and what to publish after the commit. */
export type Change = {
  readonly tx: pg.PoolClient
  readonly userId: string
  readonly enqueue: Enqueue
  readonly changedIds: Set<string>
  readonly removedIds: Set<string>
  /** Transfers that it cancelled. */
  readonly transferIds: Set<string>
  /** Folders whose listing changed. */
  readonly parentIds: Set<string | null>
}

export type ChangeDeps = {
  readonly pool: pg.Pool
  readonly events: Pick<Events, 'publish'>
  readonly enqueue: Enqueue
}

/**
 * Runs `work` in a transaction that no other change of the same user's tree overlaps, so data that it reads is still
 * valid when it writes. Only uploads may add files meanwhile; if one of them takes a name, the transaction is retried.
 * Events are published after the commit.
 */
export async function changeTree<Result>(
  { pool, events, enqueue }: ChangeDeps,
  { userId }: Pick<Viewer, 'userId'>,
  work: (change: Change) => Promise<Result>,
): Promise<Result> {
  const { change, result } = await retryConflicts(() =>
    transaction(pool, async (tx) => {
      await tx.query({ name: 'files lock tree', text: LOCK_TREE, values: [TREE_LOCK, userId] })
      const fresh: Change = {
        tx,
        userId,
        enqueue,
        changedIds: new Set(),
        removedIds: new Set(),
        transferIds: new Set(),
        parentIds: new Set(),
      }
      return { change: fresh, result: await work(fresh) }
    }),
  )
  publishChange(events, change)
  return result
}

function publishChange(
  events: Pick<Events, 'publish'>,
  { userId, changedIds, removedIds, parentIds, transferIds }: Change,
): void {
  for (const transferId of transferIds) {
    events.publish('transferProgressed', userId, { transferId, sentBytes: 0, bytesPerSecond: null })
  }
  if (changedIds.size + removedIds.size + parentIds.size === 0) return
  events.publish('filesChanged', userId, {
    fileIds: [...changedIds],
    removedIds: [...removedIds],
    parentIds: [...parentIds],
    truncated: false,
  })
}

/** Removes duplicates. @throws InvalidInputError when there are more than 10,000 */
export function distinctIds(ids: readonly string[]): string[] {
  if (ids.length <= MOST_IDS_ASKED) return [...new Set(ids)]
  const message = `At most ${MOST_IDS_ASKED} files can be changed at once. Please select fewer.`
  throw new InvalidInputError([{ path: 'ids', message }])
}

/** The columns of an entry that tree changes need. */
export type Entry = {
  readonly id: string
  readonly parentId: string | null
  readonly kind: FileKind
  readonly name: string
  readonly nameKey: string
  readonly trashedAt: Date | null
  /** The trashed entry through which this one is in the trash: itself or a folder above it. */
  readonly trashRootId: string | null
  /** The account that it is in, under its own name; null: Skypool's own. */
  readonly accountId: string | null
}

const ENTRY_COLUMNS = `id, parent_id as "parentId", kind, name, name_key as "nameKey", trashed_at as "trashedAt",
  trash_root_id as "trashRootId", account_id as "accountId"`

/** The viewer's entries among these ids, locked. Protecting copies and versions are changed by what they belong to alone. */
export async function findEntries({ tx, userId }: Change, ids: readonly string[]): Promise<Map<string, Entry>> {
  const { rows } = await tx.query<Entry>({
    name: 'files find entries',
    text: `select ${ENTRY_COLUMNS} from files where id = any($2::uuid[]) and user_id = $1 and purged_at is null and protected_account_id is null
        and not is_version
      order by id for update`,
    values: [userId, ids],
  })
  return new Map(rows.map((row) => [row.id, row]))
}

/** The viewer's entries, locked, in the order of `ids`. @throws NotFoundError when one is missing or not theirs */
export async function lockEntries(change: Change, ids: readonly string[]): Promise<Entry[]> {
  const byId = await findEntries(change, ids)
  return ids.map((id) => {
    const entry = byId.get(id)
    if (!entry) throw new NotFoundError()
    return entry
  })
}

/** As lockEntries. @throws InAccountError for entries in an account */
export async function lockOwnEntries(change: Change, ids: readonly string[]): Promise<Entry[]> {
  const entries = await lockEntries(change, ids)
  const inPlace = entries.find((entry) => entry.accountId !== null)
  if (inPlace) throw inAccount(inPlace)
  return entries
}

/** As lockOwnEntries. @throws NotFoundError also for entries in the trash */
export async function lockLiveEntries(change: Change, ids: readonly string[]): Promise<Entry[]> {
  return requireLive(await lockOwnEntries(change, ids))
}

/** Entries to read: those in accounts too. @throws NotFoundError also for entries in the trash */
export async function lockReadableEntries(change: Change, ids: readonly string[]): Promise<Entry[]> {
  return requireLive(await lockEntries(change, ids))
}

/** @throws NotFoundError when one is in the trash */
export function requireLive(entries: Entry[]): Entry[] {
  const trashed = entries.find((entry) => entry.trashRootId !== null)
  if (trashed) throw inTrash(trashed)
  return entries
}

/**
 * The account is the truth about its entries: they are changed at the provider first, outside of the transaction of a tree change
 * (`ChangeInPlace`).
 */
export class InAccountError extends ConflictError {}

export function inAccount({ name }: Pick<Entry, 'name'>): InAccountError {
  return new InAccountError(
    `“${name}” is in a connected account. It can be copied to a group cloud, but not be moved there.`,
  )
}

export function inTrash({ name }: Pick<Entry, 'name'>): NotFoundError {
  return new NotFoundError(`“${name}” is in the trash. Please restore it first.`)
}

/** A file whose content cannot be replaced any more. */
export function fileGone(): NotFoundError {
  return new NotFoundError('This file does not exist any more, or it is in the trash.')
}

export type Ancestor = {
  readonly id: string
  readonly parentId: string | null
  readonly kind: FileKind
  /** Neither trashed nor deleted itself. Folders above it may be. */
  readonly live: boolean
  /** It is in an account, under its own name. */
  readonly inPlace: boolean
}

/** A transaction, or a pool if the result may be outdated at once. */
type Where = { readonly tx: Queryable; readonly userId: string }

/** Entries and all folders above them, by id. */
export async function ancestry({ tx, userId }: Where, ids: readonly string[]): Promise<Map<string, Ancestor>> {
  const { rows } = await tx.query<Ancestor>({
    name: 'files ancestry',
    text: `with recursive up as (
        select id, parent_id, kind, trashed_at, purged_at, account_id from files where id = any($2::uuid[]) and user_id = $1
        union select f.id, f.parent_id, f.kind, f.trashed_at, f.purged_at, f.account_id from up join files f on f.id = up.parent_id)
      select id, parent_id as "parentId", kind, trashed_at is null and purged_at is null as live,
        account_id is not null as "inPlace" from up`,
    values: [userId, ids],
  })
  return new Map(rows.map((row) => [row.id, row]))
}

/** The entry itself and the folders above it, up to the root. */
export function chainOf(ancestors: ReadonlyMap<string, Ancestor>, id: string | null): Ancestor[] {
  const chain: Ancestor[] = []
  for (let at = ancestors.get(id ?? ''); at; at = ancestors.get(at.parentId ?? '')) chain.push(at)
  return chain
}

/**
 * The folder and the folders above it; empty for the root.
 * @throws NotFoundError unless it is a folder outside the trash
 */
export async function requireLiveFolder(change: Where, id: string | null): Promise<Ancestor[]> {
  if (id === null) return []
  const chain = chainOf(await ancestry(change, [id]), id)
  if (!isLiveFolder(chain)) throw noSuchFolder()
  return chain
}

/** As requireLiveFolder, for a folder of Skypool's own. @throws InAccountError for a folder in an account */
export async function requireTargetFolder(change: Where, id: string | null): Promise<Ancestor[]> {
  const chain = await requireLiveFolder(change, id)
  if (chain[0]?.inPlace) throw folderInAccount()
  return chain
}

export function folderInAccount(): InAccountError {
  return new InAccountError(
    'This folder is in a connected account. Files can be copied from it, but not be put into it here.',
  )
}

export function noGroupCloudInAccount(): InvalidInputError {
  const message = 'The target folder is in a connected account, so its files are not in a group cloud.'
  return new InvalidInputError([{ path: 'groupCloudId', message }])
}

/** Whether the first one is a folder, and neither it nor a folder above it is in the trash or deleted. */
export function isLiveFolder(chain: readonly Ancestor[]): boolean {
  return chain[0]?.kind === 'FOLDER' && chain.every(({ live }) => live)
}

export function noSuchFolder(): NotFoundError {
  return new NotFoundError('There is no such folder. It may have been deleted.')
}

/** @throws FolderCycleError when one of the entries is the target or above it */
export function refuseCycle(
  entries: readonly Entry[],
  targetChain: readonly Ancestor[],
  verb: 'moved' | 'copied' = 'moved',
): void {
  const above = new Set(targetChain.map(({ id }) => id))
  if (entries.some(({ id }) => above.has(id))) throw new FolderCycleError(verb)
}

/**
 * Updates the child counts of folders: +1 for each in `joined`, -1 for each in `left`; null is the root, which has no
 * count.
 */
export async function recount(
  { tx, parentIds }: Change,
  joined: readonly (string | null)[],
  left: readonly (string | null)[],
): Promise<void> {
  const deltas = new Map<string, number>()
  const add = (id: string | null, delta: number) => {
    parentIds.add(id)
    if (id !== null) deltas.set(id, (deltas.get(id) ?? 0) + delta)
  }
  for (const id of joined) add(id, 1)
  for (const id of left) add(id, -1)
  if (deltas.size === 0) return
  // In the order of ids, as uploads lock them.
  const ids = [...deltas.keys()].sort()
  await tx.query({
    name: 'files lock folders',
    text: 'select from files where id = any($1::uuid[]) order by id for update',
    values: [ids],
  })
  await tx.query({
    name: 'files count children',
    text: `update files f set child_count = f.child_count + d.delta
      from unnest($1::uuid[], $2::int[]) d(id, delta)
      where f.id = d.id and f.id = any($1::uuid[]) and d.delta <> 0`,
    values: [ids, ids.map((id) => deltas.get(id))],
  })
}

const LOCK_ACCOUNTS = 'select from accounts where user_id = $1 order by id for no key update'

/**
 * Locks all accounts of a user, in the order of their ids. A transaction must take this lock before all others: two
 * transactions that lock in different orders would deadlock. Rows that refer to the accounts can still be inserted.
 */
export async function lockAccounts({ tx, userId }: { tx: pg.ClientBase; userId: string }): Promise<void> {
  await tx.query({ name: 'lock-accounts', text: LOCK_ACCOUNTS, values: [userId] })
}
