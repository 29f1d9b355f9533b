import { NotFoundError } from '../../errors.ts'
import type { LabelColor } from '../contract.ts'
import { type Change, lockEntries } from './change.ts'
import type { Queryable } from './entries.ts'

/** Tags to put on an entry, and tags to take off it. */
export type TagChange = { readonly addIds: readonly string[]; readonly removeIds: readonly string[] }

const OWNED = 'select count(*)::int as count from tags where user_id = $1 and id = any($2::uuid[])'

/** @throws NotFoundError unless all of them are tags of the user */
export async function requireTags(sql: Queryable, userId: string, { addIds, removeIds }: TagChange): Promise<void> {
  const ids = [...new Set([...addIds, ...removeIds])]
  const { rows } = await sql.query<{ count: number }>({ name: 'tags owned', text: OWNED, values: [userId, ids] })
  if (rows[0]?.count !== ids.length) throw new NotFoundError('There is no such tag. It may have been deleted.')
}

const ADD = `insert into file_tags (tag_id, file_id)
  select t.id, f.id from tags t cross join files f
  where t.user_id = $1 and t.id = any($3::uuid[]) and f.user_id = $1 and f.id = any($2::uuid[])
  on conflict do nothing`
const REMOVE = `delete from file_tags ft using tags t
  where t.id = ft.tag_id and t.user_id = $1 and t.id = any($3::uuid[]) and ft.file_id = any($2::uuid[])`

/** Tags that are not the user's are ignored: `requireTags` has refused them. @throws NotFoundError */
export async function tagEntries(
  change: Change,
  ids: readonly string[],
  { addIds, removeIds }: TagChange,
): Promise<void> {
  await report(change, ids)
  const { tx, userId } = change
  if (removeIds.length > 0) await tx.query({ name: 'files untag', text: REMOVE, values: [userId, ids, removeIds] })
  if (addIds.length > 0) await tx.query({ name: 'files tag', text: ADD, values: [userId, ids, addIds] })
}

const COLOR = `update files set color = $3::"LabelColor"
  where user_id = $1 and id = any($2::uuid[]) and kind = 'FOLDER' and color is distinct from $3::"LabelColor"`

/** Of folders. null: the usual colour. @throws NotFoundError */
export async function colorEntries(change: Change, ids: readonly string[], color: LabelColor | null): Promise<void> {
  await report(change, ids)
  await change.tx.query({ name: 'files color', text: COLOR, values: [change.userId, ids, color] })
}

async function report(change: Change, ids: readonly string[]): Promise<void> {
  for (const { id, parentId } of await lockEntries(change, ids)) {
    change.changedIds.add(id)
    change.parentIds.add(parentId)
  }
}
