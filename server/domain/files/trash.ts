import type { Change } from './change.ts'
import { settleBelow } from './settleTrash.ts'
import { ancestry, chainOf, type Entry, lockEntries, recount } from './tree.ts'

/** Puts entries into the trash. What is there already, by itself or below something, stays as it is. */
export async function trashEntries(change: Change, ids: readonly string[]): Promise<void> {
  const entries = await lockEntries(change, ids)
  const ancestors = await ancestry(change, ids)
  const chosen = new Set(ids)
  // An entry below another chosen one goes with it, so that restoring that one brings it back in its place.
  const goesAlong = (entry: Entry) =>
    chainOf(ancestors, entry.parentId).some((above) => chosen.has(above.id) || !above.live)
  const roots = entries.filter((entry) => entry.trashedAt === null && !goesAlong(entry))
  const settle = await putIntoTrash(
    change,
    roots.map(({ id }) => id),
  )
  await settle()
}

/**
 * Marks live entries as trashed and takes them from their folders' counts; their names are free afterwards. The returned
 * function does the same for what is below them, once the caller has taken away what shall not go along.
 */
export async function putIntoTrash(change: Change, ids: readonly string[]): Promise<() => Promise<void>> {
  if (ids.length === 0) return async () => {}
  const { rows } = await change.tx.query<{ id: string; parent_id: string | null; kind: string }>({
    name: 'files trash',
    text: 'update files set trashed_at = now(), trash_root_id = id where id = any($1::uuid[]) returning id, parent_id, kind',
    values: [ids],
  })
  for (const { id } of rows) change.changedIds.add(id)
  await recount(
    change,
    [],
    rows.map((row) => row.parent_id),
  )
  return () =>
    settleBelow(
      change,
      rows.filter((row) => row.kind === 'FOLDER').map(({ id }) => id),
    )
}
