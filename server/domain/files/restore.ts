import type { Change } from './change.ts'
import { placeEach } from './placing.ts'
import { settleBelow } from './settleTrash.ts'
import { type Ancestor, ancestry, chainOf, lockEntries, recount } from './tree.ts'

/** Takes entries out of the trash, each to its old folder or to the nearest one that is left. What is not in the trash stays. */
export async function restoreEntries(change: Change, ids: readonly string[]): Promise<void> {
  const entries = (await lockEntries(change, ids)).filter((entry) => entry.trashedAt !== null)
  const restored = new Set(entries.map(({ id }) => id))
  const ancestors = await ancestry(
    change,
    entries.flatMap(({ parentId }) => parentId ?? []),
  )
  const placements = entries.map((entry) => ({
    entry,
    parentId: nearestLive(chainOf(ancestors, entry.parentId), restored),
  }))
  await placeEach(change, placements, 'RENAME')
  await recount(
    change,
    placements.map(({ parentId }) => parentId),
    [],
  )
  await settleBelow(
    change,
    entries.filter(({ kind }) => kind === 'FOLDER').map(({ id }) => id),
  )
}

/**
 * The lowest folder of the chain with nothing dead at or above it; null is the root. A folder that is restored along is
 * live, wherever it goes.
 */
function nearestLive(chain: readonly Ancestor[], restored: ReadonlySet<string>): string | null {
  const along = chain.findIndex(({ id }) => restored.has(id))
  const counting = along === -1 ? chain : chain.slice(0, along + 1)
  const dead = counting.findLastIndex(({ id, live }) => !live && !restored.has(id))
  return counting[dead + 1]?.id ?? null
}
