import type { ClientBase, Pool } from 'pg'
import { fingerprintOf, firstSentAt } from '../../idempotency/keys.ts'
import type { Viewer } from '../../viewer.ts'
import { enqueueRemovals } from '../content/removals.ts'
import type { FileKind } from '../contract.ts'
import {
  ancestry,
  type Change,
  type ChangeDeps,
  chainOf,
  changeTree,
  type Entry,
  lockAccounts,
  lockOwnEntries,
  recount,
} from './change.ts'
import type { Queryable } from './entries.ts'
import { idsOf, type Step, type StepOf } from './step.ts'

/** Number of entries below trashed or restored folders that are marked within the request; a job marks the rest. */
export const INLINE_ENTRIES = 2_000

/**
 * Moves entries to the trash. Entries that are already there, themselves or through a folder above, are not changed.
 */
export async function trashEntries(change: Change, ids: readonly string[]): Promise<void> {
  const entries = await lockOwnEntries(change, ids)
  const ancestors = await ancestry(change, ids)
  const chosen = new Set(ids)
  // An entry below another chosen one is trashed with it, so that restoring that one restores it in its place.
  const isBelowChosen = (entry: Entry) =>
    chainOf(ancestors, entry.parentId).some((above) => chosen.has(above.id) || !above.live)
  const roots = entries.filter((entry) => entry.trashedAt === null && !isBelowChosen(entry))
  const markBelow = await putIntoTrash(
    change,
    roots.map(({ id }) => id),
  )
  await markBelow()
}

/**
 * Marks live entries as trashed and subtracts them from their folders' counts; their names are free afterwards. The
 * returned function marks the entries below, to be called after the caller has moved away what is not to be trashed
 * with them.
 */
export async function putIntoTrash(change: Change, ids: readonly string[]): Promise<() => Promise<void>> {
  if (ids.length === 0) return async () => {}
  const { rows } = await change.tx.query<{ id: string; parent_id: string | null; kind: string }>({
    name: 'files trash',
    text: 'update files set trashed_at = now(), trash_root_id = id where id = any($1::uuid[]) returning id, parent_id, kind',
    values: [ids],
  })
  for (const { id } of rows) change.changedIds.add(id)
  await recount(
    change,
    [],
    rows.map((row) => row.parent_id),
  )
  return () =>
    markTrashBelow(
      change,
      rows.filter((row) => row.kind === 'FOLDER').map(({ id }) => id),
    )
}

/**
 * Updates `trash_root_id` below the folders, up to the limit, and leaves the rest to jobs. Folders come first: their
 * update waits for uploads into them and refuses later ones, so none of their files is missed.
 */
export async function markTrashBelow(change: Change, folderIds: readonly string[]): Promise<void> {
  let left = INLINE_ENTRIES
  let level = folderIds
  while (level.length > 0 && left > 0) {
    left -= await inheritTrashRoot(change.tx, level, 'FOLDER', left)
    if (left > 0) left -= await inheritTrashRoot(change.tx, level, 'FILE', left)
    level = await subfolders(change.tx, level, INLINE_ENTRIES)
    if (level.length === INLINE_ENTRIES) left = 0
  }
  if (left > 0) return
  const { userId, tx, enqueue } = change
  await judgeByFolders(tx, folderIds)
  for (const folderId of folderIds)
    await enqueue(tx, 'propagateTrash', { userId, folderId }, { key: `trash ${folderId}` })
}

/**
 * Copies the folders' own `trash_root_id` to their live entries, at most `limit` of one kind. Entries that were trashed
 * on their own keep theirs.
 * @returns how many were changed
 */
export async function inheritTrashRoot(
  sql: Queryable,
  folderIds: readonly string[],
  kind: FileKind,
  limit: number,
): Promise<number> {
  const { rowCount } = await sql.query({ ...INHERIT, values: [folderIds, kind, limit] })
  return rowCount ?? 0
}

const INHERIT = {
  name: 'files inherit trash',
  text: `with wrong as (
      select c.id, p.trash_root_id from files p join files c on c.parent_id = p.id
      where p.id = any($1::uuid[]) and c.kind = $2::"FileKind" and c.trashed_at is null and c.purged_at is null
        and c.trash_root_id is distinct from p.trash_root_id limit $3)
    update files f set trash_root_id = wrong.trash_root_id from wrong where f.id = wrong.id`,
}

/** Ids of the folders in these folders, without those that were trashed on their own. */
export async function subfolders(sql: Queryable, folderIds: readonly string[], limit: number): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `select id from files where parent_id = any($1::uuid[]) and kind = 'FOLDER' and trashed_at is null
     and purged_at is null limit $2`,
    [folderIds, limit],
  )
  return rows.map(({ id }) => id)
}

/**
 * From now on, entries below the folders are judged by the folders (UNSETTLED), not by their own `trash_root_id` or
 * `purged_at`.
 */
async function judgeByFolders(sql: Queryable, folderIds: readonly string[]): Promise<void> {
  await sql.query("update files set settling = gen_random_uuid() where id = any($1::uuid[]) and kind = 'FOLDER'", [
    folderIds,
  ])
}

/**
 * Folders of the user `$1` that are trashed or deleted, or below such a folder, while a job still marks their entries.
 * Usually none: one index lookup. `offset 0` keeps the planner from joining the other way round, which reads all files.
 */
export const UNSETTLED = `with recursive gone (id) as (
    select s.id from files s where s.user_id = $1 and s.settling is not null
      and (s.trash_root_id is not null or s.purged_at is not null)
    union select c.id from gone cross join lateral (
      select id from files where parent_id = gone.id and kind = 'FOLDER' offset 0) c)
  select id from gone`

/**
 * Deletes entries permanently: they and up to 2,000 entries below them are gone at once, and their bytes are no longer
 * counted. The job marks the rest, and removes rows and bytes.
 * @throws NotFoundError
 */
export async function purgeEntries(change: Change, ids: readonly string[]): Promise<void> {
  await lockAccounts(change)
  const entries = await lockOwnEntries(change, ids)
  for (const { id } of entries) change.removedIds.add(id)
  const counted = entries.filter((entry) => entry.trashedAt === null)
  await recount(
    change,
    [],
    counted.map((entry) => entry.parentId),
  )
  for (const { parentId } of entries) change.parentIds.add(parentId)
  const limit = ids.length + INLINE_ENTRIES
  // Entries that are left to the job are hidden with their folder.
  if ((await markPurged(change, ids, limit)) === limit) await judgeByFolders(change.tx, ids)
  await change.enqueue(change.tx, 'purgeFiles', { userId: change.userId }, { key: `purge ${change.userId}` })
}

/**
 * Live entries go to the trash; those already in the trash, themselves or through a folder above, are deleted
 * permanently.
 */
export async function splitDiscarded(
  change: Change,
  steps: readonly StepOf<'DISCARD'>[],
): Promise<[live: Step[], dead: Step[]]> {
  if (steps.length === 0) return [[], []]
  const ancestors = await ancestry(change, idsOf(steps))
  const isLive = ({ id }: Step) => chainOf(ancestors, id).every(({ live }) => live)
  return [steps.filter(isLive), steps.filter((step) => !isLive(step))]
}

/** Entries per transaction: few enough that other changes of the user's tree do not wait long. */
const BATCH = 200

/**
 * Deletes everything of Skypool's own that was in the user's trash at `asOf`, one batch at a time; entries trashed later are kept.
 * @returns how many entries were deleted
 */
export async function emptyTrash(deps: ChangeDeps, viewer: Pick<Viewer, 'userId'>, asOf: Date): Promise<number> {
  let count = 0
  for (let batch = BATCH; batch === BATCH; count += batch) {
    batch = await changeTree(deps, viewer, (change) => purgeTrashed(change, asOf))
  }
  return count
}

async function purgeTrashed(change: Change, asOf: Date): Promise<number> {
  const { rows } = await change.tx.query<{ id: string }>(
    `select id from files where user_id = $1 and trashed_at <= $2 and purged_at is null and account_id is null
     order by trashed_at, id limit $3`,
    [change.userId, asOf, BATCH],
  )
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0) await purgeEntries(change, ids)
  return ids.length
}

/** When a request began; with an Idempotency-Key, the first one that had it. @throws as claimKey */
export async function startOf(
  pool: Pool,
  { userId }: Pick<Viewer, 'userId'>,
  { operation, content }: { readonly operation: string; readonly content: string },
  key: string | undefined,
): Promise<Date> {
  if (key === undefined) return databaseTime(pool)
  return firstSentAt(pool, { userId, key, operation, fingerprint: fingerprintOf([content]) })
}

/** With the precision and rounding of the times of entries. */
export async function databaseTime(sql: Queryable): Promise<Date> {
  const { rows } = await sql.query<{ now: Date }>('select now()::timestamptz(3) as now')
  const [row] = rows
  if (!row) throw new Error('The database returned no time.')
  return row.now
}

/**
 * Marks entries and everything below them as deleted, versions too, at most `limit` in all and from the top down. Their bytes are
 * freed at once, objects at providers are left to a job, and their transfers are cancelled. Entries that were trashed
 * on their own are no longer part of a folder and are kept. The caller has locked the accounts.
 * @returns how many were marked
 */
export async function markPurged(
  { tx, enqueue, transferIds }: Pick<Change, 'enqueue' | 'transferIds'> & { readonly tx: ClientBase },
  ids: readonly string[],
  limit: number,
): Promise<number> {
  const { rows } = await tx.query<{ marked: number; transfer_ids: string[]; account_ids: string[] }>({
    name: 'files mark purged',
    text: MARK,
    values: [ids, limit],
  })
  const [done] = rows
  for (const id of done?.transfer_ids ?? []) transferIds.add(id)
  await enqueueRemovals(tx, enqueue, done?.account_ids ?? [])
  return done?.marked ?? 0
}

const MARK = `with recursive tree (id) as (
    select unnest($1::uuid[])
    union all select c.id from tree join files c on c.parent_id = tree.id
      where c.trashed_at is null and c.purged_at is null),
  picked as (select id from tree limit $2),
  marked as (update files f set purged_at = now() from picked
    where f.id = picked.id and f.purged_at is null returning f.id, f.sha256),
  piece as (select p.*, a.provider = 'local' as here, marked.sha256
    from marked join copies c on c.file_id = marked.id join pieces p on p.copy_id = c.id join accounts a on a.id = p.account_id),
  freed as (select account_id, coalesce(sum(size) filter (where state = 'STORED'), 0) as used,
      coalesce(sum(size) filter (where state = 'PLANNED'), 0) as reserved
    from piece group by account_id),
  paid as (update accounts a set used_bytes = greatest(a.used_bytes - freed.used, 0),
      reserved_bytes = a.reserved_bytes - freed.reserved
    from freed where a.id = freed.account_id),
  gone as (delete from pieces p using piece where p.id = piece.id and (not piece.here or piece.state = 'PLANNED')
    returning p.*, piece.here, piece.sha256),
  kept as (insert into object_removals (id, account_id, object_ref, size, hash, session, renamed_to, sha256)
    select gen_random_uuid(), account_id, object_ref, size, hash, 'pieces:' || id || ' ' || session, renamed_to, sha256 from gone
    where session is not null or not here and object_ref is not null returning account_id),
  ended as (update transfers t set state = 'CANCELLED', ended_at = now(), next_try_at = null from marked
    where t.file_id = marked.id and t.state in ('WAITING', 'RUNNING', 'PAUSED', 'PARKED', 'FAILED') returning t.id)
  select (select count(*)::int from marked) as marked,
    array(select id::text from ended) as transfer_ids, array(select distinct account_id::text from kept) as account_ids`
