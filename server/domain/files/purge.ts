import type { Change } from './change.ts'
import { enqueueRemovals } from './removals.ts'
import { INLINE_ENTRIES } from './settleTrash.ts'
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
  await markPurged(change, ids, ids.length + INLINE_ENTRIES)
  await change.enqueue(change.tx, 'purgeFiles', { userId: change.userId }, { key: `purge ${change.userId}` })
}

/** All that the user's trash lists. @returns how many entries that were */
export async function purgeTrash(change: Change): Promise<number> {
  const { rows } = await change.tx.query<{ id: string }>(
    'select id from files where user_id = $1 and trashed_at is not null and purged_at is null',
    [change.userId],
  )
  if (rows.length > 0)
    await purgeEntries(
      change,
      rows.map(({ id }) => id),
    )
  return rows.length
}

/** First of all locks, as uploads take them: otherwise the two could wait for each other. */
export async function lockAccounts({ tx, userId }: Pick<Change, 'tx' | 'userId'>): Promise<void> {
  await tx.query('select from accounts where user_id = $1 order by id for no key update', [userId])
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
  const { rows } = await tx.query<{ marked: number; transfer_ids: string[]; account_ids: string[] }>(MARK, [ids, limit])
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
