import type { Change } from './change.ts'
import type { Queryable } from './lookup.ts'
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
  await markPurged(change.tx, ids, ids.length + INLINE_ENTRIES)
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
  await tx.query('select from accounts where user_id = $1 order by id for update', [userId])
}

/**
 * Marks entries and what is below them, at most `limit` in all and from the top down, and frees what their pieces took.
 * What was trashed by itself is not part of a folder any more and stays. @returns how many were marked
 */
export async function markPurged(sql: Queryable, ids: readonly string[], limit: number): Promise<number> {
  const { rows } = await sql.query<{ marked: number }>(
    `with recursive tree (id) as (
       select unnest($1::uuid[])
       union all select c.id from tree join files c on c.parent_id = tree.id
         where c.trashed_at is null and c.purged_at is null),
     picked as (select id from tree limit $2),
     marked as (update files f set purged_at = now() from picked
       where f.id = picked.id and f.purged_at is null returning f.id),
     freed as (select p.account_id, sum(p.size) as bytes
       from marked join copies c on c.file_id = marked.id join pieces p on p.copy_id = c.id group by p.account_id),
     paid as (update accounts a set used_bytes = a.used_bytes - freed.bytes from freed where a.id = freed.account_id)
     select count(*)::int as marked from marked`,
    [ids, limit],
  )
  return rows[0]?.marked ?? 0
}
