import type { Pool } from 'pg'
import { transaction } from '../../db/pool.ts'
import type { ChangeDeps } from '../files/tree/change.ts'
import { changeTree, lockAccounts } from '../files/tree/change.ts'
import { markPurged } from '../files/tree/trash.ts'
import { enqueueReconcile } from '../jobs.ts'
import { followIndex, queueJobs, type Scope } from './versions.ts'

/** More files than this in one event: clients reload what they show. */
const MOST_NAMED = 100

/** Brings the protection of an account's files up to date with its index, and queues what has to be stored. */
export async function followChanges(deps: ChangeDeps, scope: Scope): Promise<void> {
  const userId = await findOwner(deps.pool, scope.accountId)
  if (userId === null) return
  const { fileIds, jobIds } = await transaction(deps.pool, async (tx) => {
    const followed = await followIndex(tx, scope)
    if (followed.movedIds.length > 0) await enqueueReconcile(tx, deps.enqueue, { userId, fileIds: followed.movedIds })
    return { ...followed, jobIds: await queueJobs(tx, userId, scope.accountId) }
  })
  for (const jobId of jobIds) deps.events.publish('fileJobProgressed', userId, { jobId })
  publishFiles(deps, userId, fileIds)
}

async function findOwner(pool: Pool, accountId: string): Promise<string | null> {
  const { rows } = await pool.query<{ userId: string }>(
    `select a.user_id as "userId" from accounts a join account_indexes i on i.account_id = a.id
     where a.id = $1 and a.disconnected_at is null and exists (select from protections p where p.account_id = a.id)`,
    [accountId],
  )
  return rows[0]?.userId ?? null
}

/** Clients read again how these files are protected. */
export function publishFiles({ events }: Pick<ChangeDeps, 'events'>, userId: string, ids: readonly string[]): void {
  if (ids.length === 0) return
  const truncated = ids.length > MOST_NAMED
  events.publish('filesChanged', userId, {
    fileIds: truncated ? [] : [...ids],
    removedIds: [],
    parentIds: [],
    truncated,
  })
}

/** Removes protecting copies with their bytes, in the background. */
export async function discardContents(deps: ChangeDeps, userId: string, ids: readonly string[]): Promise<void> {
  await changeTree(deps, { userId }, async (change) => {
    await lockAccounts(change)
    await markPurged(change, ids, ids.length)
    await change.enqueue(change.tx, 'purgeFiles', { userId }, { key: `purge ${userId}` })
  })
}
