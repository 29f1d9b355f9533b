import type { OnConflict } from '../services.ts'
import type { Change } from './change.ts'
import { placeEntries } from './placing.ts'
import { lockLiveEntries, recount, refuseCycle, requireLiveFolder } from './tree.ts'

/** What is in the folder already stays untouched. @throws NotFoundError, FolderCycleError, NameTakenError with FAIL */
export async function moveEntries(
  change: Change,
  ids: readonly string[],
  parentId: string | null,
  onConflict: OnConflict,
): Promise<void> {
  const entries = await lockLiveEntries(change, ids)
  refuseCycle(entries, await requireLiveFolder(change, parentId))
  const moving = entries.filter((entry) => entry.parentId !== parentId)
  await placeEntries(change, moving, parentId, onConflict)
  await recount(
    change,
    moving.map(() => parentId),
    moving.map((entry) => entry.parentId),
  )
}
