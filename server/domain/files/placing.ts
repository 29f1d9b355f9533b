import { NameTakenError } from '../errors.ts'
import type { OnConflict } from '../services.ts'
import type { Change } from './change.ts'
import { freeName, takenKeys } from './freeName.ts'
import { nameKey, searchKey, sortKey } from './names.ts'
import { enqueueRenames } from './renameObjects.ts'
import { putIntoTrash } from './trash.ts'
import type { Entry } from './tree.ts'

type Placed = { readonly id: string; readonly name: string }

/**
 * Puts live or restored entries into a folder, names settled by `onConflict`; counting them is left to the caller.
 * REPLACE puts what has the name into the trash. @throws NameTakenError with FAIL
 */
export async function placeEntries(
  change: Change,
  entries: readonly Entry[],
  parentId: string | null,
  onConflict: OnConflict,
): Promise<void> {
  if (entries.length === 0) return
  const claimed = new Set<string>()
  const space = { userId: change.userId, parentId, claimed }
  const taken = await takenKeys(
    change.tx,
    space,
    entries.map((entry) => entry.nameKey),
  )
  const placed: Placed[] = []
  const replaced: string[] = []
  for (const entry of entries) {
    const occupant = claimed.has(entry.nameKey) ? undefined : taken.get(entry.nameKey)
    const clash = occupant !== undefined || claimed.has(entry.nameKey)
    if (clash && onConflict === 'FAIL') throw new NameTakenError(entry.name)
    const replaces = occupant !== undefined && onConflict === 'REPLACE'
    if (replaces) replaced.push(occupant)
    const name = clash && !replaces ? await freeName(change.tx, space, entry.name, entry.kind) : entry.name
    claimed.add(nameKey(name))
    placed.push({ id: entry.id, name })
  }
  const settle = await putIntoTrash(change, replaced)
  await write(change, placed, parentId)
  const renamed = placed.filter(({ name }, index) => name !== entries[index]?.name && entries[index]?.kind === 'FILE')
  if (renamed.length > 0) {
    await enqueueRenames(
      change.tx,
      change.enqueue,
      renamed.map(({ id }) => id),
    )
  }
  await settle()
}

async function write({ tx, changedIds }: Change, placed: readonly Placed[], parentId: string | null): Promise<void> {
  const names = placed.map(({ name }) => name)
  await tx.query(
    `update files f set parent_id = $1, name = p.name, name_key = p.name_key, sort_key = p.sort_key,
       search_key = p.search_key, trashed_at = null, trash_root_id = null
     from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[]) p(id, name, name_key, sort_key, search_key)
     where f.id = p.id`,
    [parentId, placed.map(({ id }) => id), names, names.map(nameKey), names.map(sortKey), names.map(searchKey)],
  )
  for (const { id } of placed) changedIds.add(id)
}
