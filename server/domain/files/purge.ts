import type { Viewer } from '../viewer.ts'
import { type Change, type ChangeDeps, changeTree } from './change.ts'
import type { Queryable } from './lookup.ts'
import { enqueueRemovals } from './removals.ts'
import { beginSettling, INLINE_ENTRIES } from './settleTrash.ts'
import { lockEntries, recount } from './tree.ts'

/**
 * Deletes entries for good: they and up to 2,000 entries below them are gone at once, their bytes no longer count. The
 * job does the same for the rest, and removes rows and bytes. @throws NotFoundError
 */
export async function purgeEntries(change: Change, ids: readonly string[]): Promise<void> {
  await lockAccounts(change)
  const entries = await lockEntries(change, ids)
  for (const { id } of entries) change.removedIds.add(id)
  const counted = entries.filter((entry) => entry.trashedAt === null)
  await recount(
    change,
    [],
    counted.map((entry) => entry.parentId),
  )
  for (const { parentId } of entries) change.parentIds.add(parentId)
  const limit = ids.length + INLINE_ENTRIES
  // What is left to the job is out of sight with its folder.
  if ((await markPurged(change, ids, limit)) === limit) await beginSettling(change.tx, ids)
  await change.enqueue(change.tx, 'purgeFiles', { userId: change.userId }, { key: `purge ${change.userId}` })
}

/** Entries of one transaction: whoever waits for this user's tree does not wait long. */
const BATCH = 200

/** All that the user's trash lists now, a batch at a time; what comes into it meanwhile stays. @returns how many entries that were */
export async function emptyTrash(deps: ChangeDeps, viewer: Pick<Viewer, 'userId'>): Promise<number> {
  const asOf = await databaseTime(deps.pool)
  let count = 0
  for (let batch = BATCH; batch === BATCH; count += batch) {
    batch = await changeTree(deps, viewer, (change) => purgeTrashed(change, asOf))
  }
  return count
}

async function purgeTrashed(change: Change, asOf: Date): Promise<number> {
  const { rows } = await change.tx.query<{ id: string }>(
    'select id from files where user_id = $1 and trashed_at <= $2 and purged_at is null order by trashed_at, id limit $3',
    [change.userId, asOf, BATCH],
  )
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0) await purgeEntries(change, ids)
  return ids.length
}

/** As precise as the times of entries are, and rounded like them. */
export async function databaseTime(sql: Queryable): Promise<Date> {
  const { rows } = await sql.query<{ now: Date }>('select now()::timestamptz(3) as now')
  const [row] = rows
  if (!row) throw new Error('The database did not say what time it is.')
  return row.now
}

const LOCK_ACCOUNTS = 'select from accounts where user_id = $1 order by id for no key update'

/** First of all locks, as uploads take them: otherwise the two could wait for each other. */
export async function lockAccounts({ tx, userId }: Pick<Change, 'tx' | 'userId'>): Promise<void> {
  await tx.query({ name: 'files lock accounts', text: LOCK_ACCOUNTS, values: [userId] })
}

/**
 * Marks entries and what is below them, at most `limit` in all and from the top down. What they took is free at once, what
 * providers hold of them is left to a job, and their transfers are over. What was trashed by itself is not part of a folder any
 * more and stays. The accounts are locked. @returns how many were marked
 */
export async function markPurged(
  { tx, enqueue, transferIds }: Pick<Change, 'tx' | 'enqueue' | 'transferIds'>,
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
    where f.id = picked.id and f.purged_at is null returning f.id),
  piece as (select p.*, a.provider = 'local' as here
    from marked join copies c on c.file_id = marked.id join pieces p on p.copy_id = c.id join accounts a on a.id = p.account_id),
  freed as (select account_id, coalesce(sum(size) filter (where state = 'STORED'), 0) as used,
      coalesce(sum(size) filter (where state = 'PLANNED'), 0) as reserved
    from piece group by account_id),
  paid as (update accounts a set used_bytes = greatest(a.used_bytes - freed.used, 0),
      reserved_bytes = a.reserved_bytes - freed.reserved
    from freed where a.id = freed.account_id),
  gone as (delete from pieces p using piece where p.id = piece.id and (not piece.here or piece.state = 'PLANNED')),
  kept as (insert into object_removals (id, account_id, object_ref, size, hash, session)
    select gen_random_uuid(), account_id, object_ref, size, hash, 'pieces:' || id || ' ' || session from piece
    where session is not null or not here and object_ref is not null returning account_id),
  ended as (update transfers t set state = 'CANCELLED', ended_at = now(), next_try_at = null from marked
    where t.file_id = marked.id and t.state in ('WAITING', 'RUNNING', 'PAUSED', 'PARKED', 'FAILED') returning t.id)
  select (select count(*)::int from marked) as marked,
    array(select id::text from ended) as transfer_ids, array(select distinct account_id::text from kept) as account_ids`
