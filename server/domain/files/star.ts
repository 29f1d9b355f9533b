import type { Change } from './change.ts'
import { lockEntries } from './tree.ts'

/** @throws NotFoundError */
export async function starEntries(change: Change, ids: readonly string[], starred: boolean): Promise<void> {
  const entries = await lockEntries(change, ids)
  const text = 'update files set starred = $2 where id = any($1::uuid[]) and starred <> $2'
  await change.tx.query({ name: 'files star', text, values: [ids, starred] })
  for (const { id, parentId } of entries) {
    change.changedIds.add(id)
    change.parentIds.add(parentId)
  }
}
