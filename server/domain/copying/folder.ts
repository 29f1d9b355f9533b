import { newId } from '../../lib/ids.ts'
import { type ChangeDeps, changeTree } from '../files/change.ts'
import { insertFolder } from '../files/folders.ts'
import { freeName, takenKeys } from '../files/freeName.ts'
import { requireFile } from '../files/lookup.ts'
import { nameKey } from '../files/names.ts'
import { requireLiveFolder } from '../files/tree.ts'
import { claimKey, fingerprintOf } from '../idempotency.ts'
import type { File } from '../services.ts'
import type { Viewer } from '../viewer.ts'

/** An empty folder under the name of the original, numbered where that is taken. @throws NotFoundError */
export function copyFolder(
  deps: ChangeDeps,
  viewer: Viewer,
  original: File,
  parentId: string | null,
  key: string | undefined,
): Promise<File> {
  return changeTree(deps, viewer, async (change) => {
    const { tx, userId } = change
    const id = newId()
    if (key !== undefined) {
      const sql = async (text: string, values: readonly unknown[]) => (await tx.query(text, [...values])).rows
      const claim = { userId, key, operation: 'copyFolder', fingerprint: fingerprintOf([parentId]), resultId: id }
      const earlier = await claimKey(sql, claim)
      if (earlier) return requireFile(tx, viewer, earlier)
    }
    await requireLiveFolder(change, parentId)
    const space = { userId, parentId }
    const isTaken = (await takenKeys(tx, space, [nameKey(original.name)])).size > 0
    const name = isTaken ? await freeName(tx, space, original.name, 'FOLDER') : original.name
    await insertFolder(change, { id, name, parentId })
    return requireFile(tx, viewer, id)
  })
}
