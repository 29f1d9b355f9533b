import { createHash } from 'node:crypto'
import type { Transaction } from '../../db/client.ts'
import type { Enqueue, JobInputs } from '../jobs.ts'

export type SettleScope = JobInputs['settleFiles']

/** Queues settling of what an account holds, of a group cloud's files, of single files, or of what lacks room. What already waits for the same is replaced. */
export async function enqueueSettle(tx: Transaction, enqueue: Enqueue, scope: SettleScope): Promise<void> {
  await enqueue(tx, 'settleFiles', scope, { key: keyOf(scope) })
}

function keyOf({ userId, accountId, groupCloudId, fileIds, room, after }: SettleScope): string {
  const files = fileIds === undefined ? '' : createHash('sha1').update(fileIds.toSorted().join()).digest('hex')
  return `settle ${userId} ${accountId ?? ''} ${groupCloudId ?? ''} ${files}${room ? 'room' : ''} ${after ?? ''}`
}
