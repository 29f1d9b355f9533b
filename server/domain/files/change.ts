import type pg from 'pg'
import { retrying, transaction } from '../../db/transaction.ts'
import { InvalidInputError } from '../errors.ts'
import type { Events } from '../events.ts'
import type { Enqueue } from '../jobs.ts'
import type { Viewer } from '../viewer.ts'

/** Of one request (FilesService). */
const MOST_IDS_ASKED = 10_000
/** First half of the advisory locks that one user's tree changes take; the second is made from the user's id. */
const TREE_LOCK = 0x5b1f
const LOCK_TREE = 'select pg_advisory_xact_lock($1, hashtext($2))'

/** A change of one user's tree under way: its transaction, and what to tell once it is committed. */
export type Change = {
  readonly tx: pg.PoolClient
  readonly userId: string
  readonly enqueue: Enqueue
  readonly changedIds: Set<string>
  readonly removedIds: Set<string>
  /** Transfers that ended with it. */
  readonly transferIds: Set<string>
  /** Folders whose listing changed. */
  readonly parentIds: Set<string | null>
}

export type ChangeDeps = { readonly pool: pg.Pool; readonly events: Events; readonly enqueue: Enqueue }

/**
 * Runs `work` in a transaction that no other change of the same user's tree overlaps, so that what it read still holds when
 * it writes; uploads alone may add files meanwhile, and a name lost to one of them is tried again. Publishes after commit.
 */
export async function changeTree<Result>(
  { pool, events, enqueue }: ChangeDeps,
  { userId }: Pick<Viewer, 'userId'>,
  work: (change: Change) => Promise<Result>,
): Promise<Result> {
  const { change, result } = await retrying(() =>
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
  tell(events, change)
  return result
}

function tell(events: Events, { userId, changedIds, removedIds, parentIds, transferIds }: Change): void {
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

/** Each id once. @throws InvalidInputError when there are more than 10,000 */
export function distinctIds(ids: readonly string[]): string[] {
  if (ids.length <= MOST_IDS_ASKED) return [...new Set(ids)]
  const message = `At most ${MOST_IDS_ASKED} files can be changed at once. Please select fewer.`
  throw new InvalidInputError([{ path: 'ids', message }])
}
