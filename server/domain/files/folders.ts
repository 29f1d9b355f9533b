import { newId } from '../../lib/ids.ts'
import { NameTakenError } from '../errors.ts'
import { claimKey, fingerprintOf } from '../idempotency.ts'
import type { Change } from './change.ts'
import { takenKeys } from './freeName.ts'
import { nameKey, searchKey, sortKey, validateName } from './names.ts'
import { enqueueRenames } from './renameObjects.ts'
import { lockLiveEntries, recount, requireLiveFolder } from './tree.ts'

export type NewFolder = { readonly name: string; readonly parentId: string | null }

/** The id of the new folder, or of the one that an earlier request with this key made. @throws as FilesService.createFolder */
export async function createFolder(change: Change, input: NewFolder, idempotencyKey?: string): Promise<string> {
  const name = validateName(input.name)
  const id = newId()
  const earlier = idempotencyKey === undefined ? null : await claim(change, id, { ...input, name }, idempotencyKey)
  if (earlier) return earlier

  await requireLiveFolder(change, input.parentId)
  await refuseTakenName(change, input.parentId, name)
  await insertFolder(change, { id, name, parentId: input.parentId })
  return id
}

/** Into a live folder, under a name that is free there. */
export async function insertFolder(
  change: Change,
  { id, name, parentId }: NewFolder & { readonly id: string },
): Promise<void> {
  await change.tx.query(
    `insert into files (id, user_id, parent_id, kind, name, name_key, sort_key, search_key, category)
     values ($1, $2, $3, 'FOLDER', $4, $5, $6, $7, 'FOLDER')`,
    [id, change.userId, parentId, name, nameKey(name), sortKey(name), searchKey(name)],
  )
  change.changedIds.add(id)
  await recount(change, [parentId], [])
}

function claim({ tx, userId }: Change, resultId: string, { name, parentId }: NewFolder, key: string) {
  const sql = async (text: string, values: readonly unknown[]) => (await tx.query(text, [...values])).rows
  const fingerprint = fingerprintOf([name, parentId])
  return claimKey(sql, { userId, key, operation: 'createFolder', fingerprint, resultId })
}

/** Also changes only the case of a name. @throws InvalidInputError, NotFoundError, NameTakenError */
export async function renameEntry(change: Change, id: string, newName: string): Promise<void> {
  const name = validateName(newName)
  for (const entry of await lockLiveEntries(change, [id])) {
    if (entry.name === name) return
    await refuseTakenName(change, entry.parentId, name, id)
    await change.tx.query(
      'update files set name = $2, name_key = $3, sort_key = $4, search_key = $5, updated_at = now() where id = $1',
      [id, name, nameKey(name), sortKey(name), searchKey(name)],
    )
    if (entry.kind === 'FILE') await enqueueRenames(change.tx, change.enqueue, [id])
    change.changedIds.add(id)
    change.parentIds.add(entry.parentId)
  }
}

async function refuseTakenName({ tx, userId }: Change, parentId: string | null, name: string, except?: string) {
  const taken = await takenKeys(tx, { userId, parentId }, [nameKey(name)])
  for (const id of taken.values()) if (id !== except) throw new NameTakenError(name)
}
