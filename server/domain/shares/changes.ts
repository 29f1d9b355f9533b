import type pg from 'pg'
import { retrying, transaction } from '../../db/transaction.ts'
import type { Events } from '../events.ts'
import type { Enqueue } from '../jobs.ts'

export type ShareChangeDeps = { readonly pool: pg.Pool; readonly events: Events; readonly enqueue: Enqueue }

/** A change of shares under way: the files whose links changed are told once it is committed. */
export type ShareChange = {
  readonly tx: pg.PoolClient
  readonly enqueue: Enqueue
  readonly fileIds: Map<string, string>
}

/** Runs `work` in a transaction; whoever shows a file that is in `fileIds` (by its owner's id) reads it again afterwards. */
export async function changeShares<Result>(
  { pool, events, enqueue }: ShareChangeDeps,
  work: (change: ShareChange) => Promise<Result>,
): Promise<Result> {
  const { change, result } = await retrying(() =>
    transaction(pool, async (tx) => {
      const fresh: ShareChange = { tx, enqueue, fileIds: new Map() }
      return { change: fresh, result: await work(fresh) }
    }),
  )
  for (const [fileId, userId] of change.fileIds) {
    events.publish('filesChanged', userId, { fileIds: [fileId], removedIds: [], parentIds: [], truncated: false })
  }
  return result
}

/** Before any of a file's shares is changed: so that its count is right, and locks are taken in one order everywhere. */
export async function lockFileOf({ tx }: ShareChange, fileId: string): Promise<void> {
  await tx.query('select from files where id = $1 for no key update', [fileId])
}

/** To be done after every change of which shares have ended. The file is locked. */
export async function recountShares({ tx, fileIds }: ShareChange, userId: string, fileId: string): Promise<void> {
  await tx.query(
    `update files f set share_count = (select count(*) from shares s where s.file_id = f.id and s.ended_at is null)
     where f.id = $1`,
    [fileId],
  )
  fileIds.set(fileId, userId)
}

/** Ends shares of one file for ever; their providers' links are taken back by a job. The file is locked. @returns those that were not ended before */
export async function endShares(
  change: ShareChange,
  userId: string,
  fileId: string,
  ids: readonly string[],
): Promise<string[]> {
  const { rows } = await change.tx.query<{ id: string }>(
    'update shares set ended_at = now() where id = any($1::uuid[]) and file_id = $2 and ended_at is null returning id',
    [ids, fileId],
  )
  if (rows.length === 0) return []
  await recountShares(change, userId, fileId)
  await enqueueTakingBack(change)
  return rows.map(({ id }) => id)
}

/** Soon; one run does it for all that wait. */
export async function enqueueTakingBack({ tx, enqueue }: ShareChange): Promise<void> {
  await enqueue(tx, 'endShares', {}, { key: 'endShares' })
}
