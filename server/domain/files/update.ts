import type { FilePatch } from '../services.ts'
import type { Change } from './change.ts'
import { renameEntry } from './folders.ts'
import { assignGroupCloud } from './groupCloud.ts'
import { moveEntries } from './move.ts'
import { restoreEntries } from './restore.ts'
import { starEntries } from './star.ts'
import { trashEntries } from './trash.ts'

/** All of the patch, in an order in which one part allows the next: out of the trash first, into it last. */
export async function updateEntry(change: Change, id: string, patch: FilePatch): Promise<void> {
  const { name, parentId, starred, trashed, groupCloudId } = patch
  if (trashed === false) await restoreEntries(change, [id])
  if (parentId !== undefined) await moveEntries(change, [id], parentId, 'RENAME')
  if (name !== undefined) await renameEntry(change, id, name)
  if (starred !== undefined) await starEntries(change, [id], starred)
  if (groupCloudId !== undefined) await assignGroupCloud(change, [id], groupCloudId)
  if (trashed === true) await trashEntries(change, [id])
}
