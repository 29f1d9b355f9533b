import type { PoolClient } from 'pg'
import { retrying, transaction } from '../../db/transaction.ts'
import { refreshStates } from '../files/states.ts'
import type { RowDeps } from './deps.ts'
import { deleteReleased, type Released, releaseStaged } from './staged.ts'

/** A change of copies under way, and what follows its commit. */
export type CopiesChange = {
  readonly tx: PoolClient
  /** Their states are computed anew, their staged bytes let go where they are not needed any more. */
  readonly fileIds: Set<string>
  /** Objects of this server to delete. */
  readonly localRefs: Set<string>
}

/**
 * Runs `work` in a transaction; computes the states of the files it names before the commit, and after it deletes local objects
 * and tells their users. `work` locks accounts, then files, then transfers, and may be run again.
 */
export async function changeCopies<Result>(
  deps: RowDeps,
  work: (change: CopiesChange) => Promise<Result>,
): Promise<Result> {
  const { result, change, released, told } = await retrying(() =>
    transaction(deps.pool, async (tx) => {
      const fresh: CopiesChange = { tx, fileIds: new Set(), localRefs: new Set() }
      const outcome = await work(fresh)
      const fileIds = [...fresh.fileIds]
      const free: Released[] = fileIds.length === 0 ? [] : await releaseStaged(tx, fileIds)
      const changed = fileIds.length === 0 ? [] : await refreshStates(tx, { fileIds })
      return { result: outcome, change: fresh, released: free, told: changed }
    }),
  )
  for (const { userId, changedIds } of told) tellFiles(deps, userId, changedIds)
  for (const ref of change.localRefs) await deps.storage.delete(ref)
  await deleteReleased(deps, released)
  return result
}

const MOST_TOLD = 200

/** These files are to be read again. */
export function tellFiles({ events }: Pick<RowDeps, 'events'>, userId: string, fileIds: readonly string[]): void {
  if (fileIds.length === 0) return
  const truncated = fileIds.length > MOST_TOLD
  const named = truncated ? [] : [...fileIds]
  events.publish('filesChanged', userId, { fileIds: named, removedIds: [], parentIds: [], truncated })
}
