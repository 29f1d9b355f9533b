import { PreconditionFailedError } from '../errors.ts'
import type { FilePatch } from '../services.ts'
import type { Change } from './change.ts'
import { etagOf } from './etag.ts'
import { renameEntry } from './folders.ts'
import { assignGroupCloud } from './groupCloud.ts'
import { requireFile } from './lookup.ts'
import { moveEntries } from './move.ts'
import { validateName } from './names.ts'
import { restoreEntries } from './restore.ts'
import { starEntries } from './star.ts'
import type { Condition, Step } from './steps.ts'
import { trashEntries } from './trash.ts'
import { lockEntries } from './tree.ts'

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

/** The one step that a patch comes to; null when it is several. */
export function stepOfPatch(id: string, patch: FilePatch, ifMatch: Condition['ifMatch']): Step | null {
  const given = Object.entries(patch).filter(([, value]) => value !== undefined)
  if (given.length !== 1) return null
  const { name, parentId, starred, trashed } = patch
  if (name !== undefined) return { kind: 'RENAME', id, name: validateName(name), ifMatch }
  if (parentId !== undefined) return { kind: 'MOVE', id, parentId, onConflict: 'RENAME', ifMatch }
  if (starred !== undefined) return { kind: 'STAR', id, starred, ifMatch }
  if (trashed !== undefined) return { kind: trashed ? 'TRASH' : 'RESTORE', id, ifMatch }
  return null
}

/** Locks the entry. @throws NotFoundError, PreconditionFailedError */
export async function requireMatch(change: Change, id: string, ifMatch: Condition['ifMatch']): Promise<void> {
  if (ifMatch === undefined) return
  await lockEntries(change, [id])
  const file = await requireFile(change.tx, change, id)
  if (!ifMatch.includes(etagOf(file))) throw new PreconditionFailedError()
}
