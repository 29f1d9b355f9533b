import { transaction } from '../../../db/pool.ts'
import { NotFoundError } from '../../errors.ts'
import { enqueueReconcile, type JobInputs } from '../../jobs.ts'
import { publishStates, refreshStates } from '../content/states.ts'
import { type Change, type ChangeDeps, lockLiveEntries } from './change.ts'
import type { Queryable } from './entries.ts'

const BATCH = 500

/**
 * Assigns files to another group cloud. Transfers move their bytes, which stay where they are until those are done.
 * Files below folders are assigned by a job.
 * @throws NotFoundError
 */
export async function assignGroupCloud(change: Change, ids: readonly string[], groupCloudId: string): Promise<void> {
  const { tx, userId, enqueue } = change
  const entries = await lockLiveEntries(change, ids)
  await requireGroupCloud(tx, userId, groupCloudId)
  for (const { id, kind } of entries) {
    if (kind !== 'FOLDER') continue
    const input = { userId, folderId: id, groupCloudId }
    await enqueue(tx, 'moveFolderToGroupCloud', input, { key: `group cloud of ${id}` })
  }
  const fileIds = entries.filter(({ kind }) => kind === 'FILE').map(({ id }) => id)
  const moved = await assign(tx, fileIds, groupCloudId)
  for (const id of moved) change.changedIds.add(id)
  if (moved.length === 0) return
  await enqueueReconcile(tx, enqueue, { userId, fileIds: moved })
  await refreshStates(tx, { fileIds: moved })
}

/** @throws NotFoundError */
export async function requireGroupCloud(sql: Queryable, userId: string, id: string): Promise<void> {
  const values = [id, userId]
  const { rowCount } = await sql.query('select from group_clouds where id = $1 and user_id = $2 for share', values)
  if (rowCount === 0) throw new NotFoundError('There is no such group cloud.')
}

/**
 * Clears the cancellation of an earlier move, so that it does not block this one.
 * @returns ids of the files that had another group cloud
 */
async function assign(sql: Queryable, fileIds: readonly string[], groupCloudId: string): Promise<string[]> {
  if (fileIds.length === 0) return []
  const { rows } = await sql.query<{ id: string }>(
    `with moved as (
       update files set group_cloud_id = $2 where id = any($1::uuid[]) and group_cloud_id is distinct from $2 returning id),
     asked as (
       update transfers t set error = 'Another move was asked for.' from moved
       where t.file_id = moved.id and t.kind = 'MOVE' and t.state = 'CANCELLED' and t.error is null)
     select id from moved`,
    [fileIds, groupCloudId],
  )
  return rows.map(({ id }) => id)
}

/**
 * Assigns all files below the folder, one batch per transaction. Ends early if the group cloud was deleted meanwhile.
 */
export async function moveFolder(
  { pool, enqueue, events }: ChangeDeps,
  { userId, folderId, groupCloudId }: JobInputs['moveFolderToGroupCloud'],
  signal: AbortSignal,
): Promise<void> {
  const ids = await filesBelow(pool, userId, folderId)
  for (let at = 0; at < ids.length; at += BATCH) {
    signal.throwIfAborted()
    const batch = ids.slice(at, at + BATCH)
    const changes = await transaction(pool, async (tx) => {
      await tx.query('select from files where id = any($1::uuid[]) order by id for no key update', [batch])
      const { rowCount } = await tx.query('select from group_clouds where id = $1 and user_id = $2 for share', [
        groupCloudId,
        userId,
      ])
      const moved = rowCount === 0 ? [] : await assign(tx, batch, groupCloudId)
      if (moved.length === 0) return []
      await enqueueReconcile(tx, enqueue, { userId, fileIds: moved })
      await refreshStates(tx, { fileIds: moved })
      return [{ userId, changedIds: moved }]
    })
    publishStates(events, changes)
  }
}

async function filesBelow(sql: Queryable, userId: string, folderId: string): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `with recursive tree as (
       select id, kind from files where id = $2 and user_id = $1 and purged_at is null
       union all select c.id, c.kind from tree join files c on c.parent_id = tree.id
         where c.trashed_at is null and c.purged_at is null)
     select id from tree where kind = 'FILE' order by id`,
    [userId, folderId],
  )
  return rows.map(({ id }) => id)
}
