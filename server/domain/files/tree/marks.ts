import { ConflictError, NotFoundError } from '../../errors.ts'
import type { LabelColor } from '../contract.ts'
import { type Change, lockEntries } from './change.ts'
import type { Queryable } from './entries.ts'
import { idsOf, type StepOf, type TagChange } from './step.ts'

// What only Skypool has about an entry, also of one in an account: its star, its tags, and the colour of a folder.

/** @throws NotFoundError */
export async function starEntries(change: Change, ids: readonly string[], starred: boolean): Promise<void> {
  await report(change, ids)
  const text = 'update files set starred = $2 where id = any($1::uuid[]) and starred <> $2'
  await change.tx.query({ name: 'files star', text, values: [ids, starred] })
}

/** One statement for all steps with the same labels. */
export async function labelEach(
  change: Change,
  tags: readonly StepOf<'TAG'>[],
  colors: readonly StepOf<'COLOR'>[],
): Promise<void> {
  for (const same of groupBy(tags, ({ addIds, removeIds }) => JSON.stringify([addIds, removeIds]))) {
    const [first] = same
    if (first) await tagEntries(change, idsOf(same), first)
  }
  for (const same of groupBy(colors, ({ color }) => color)) {
    await colorEntries(change, idsOf(same), same[0]?.color ?? null)
  }
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => unknown): Item[][] {
  const groups = new Map<unknown, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    groups.set(key, [...(groups.get(key) ?? []), item])
  }
  return [...groups.values()]
}

const OWNED = 'select count(*)::int as count from tags where user_id = $1 and id = any($2::uuid[])'

/** @throws NotFoundError unless all of them are tags of the user */
export async function requireTags(sql: Queryable, userId: string, { addIds, removeIds }: TagChange): Promise<void> {
  const ids = [...new Set([...addIds, ...removeIds])]
  const { rows } = await sql.query<{ count: number }>({ name: 'tags owned', text: OWNED, values: [userId, ids] })
  if (rows[0]?.count !== ids.length) throw new NotFoundError('There is no such tag. It may have been deleted.')
}

/** The lock waits for the deletion of a tag at this moment, after which the tag is not there to be added. */
const ADD = `insert into file_tags (tag_id, file_id)
  select t.id, f.id from tags t cross join files f
  where t.user_id = $1 and t.id = any($3::uuid[]) and f.user_id = $1 and f.id = any($2::uuid[])
  for key share of t on conflict do nothing`
const REMOVE = `delete from file_tags ft using tags t
  where t.id = ft.tag_id and t.user_id = $1 and t.id = any($3::uuid[]) and ft.file_id = any($2::uuid[])`

/** Tags that are not the user's are ignored: `requireTags` has refused them. @throws NotFoundError */
async function tagEntries(change: Change, ids: readonly string[], { addIds, removeIds }: TagChange): Promise<void> {
  await report(change, ids)
  const { tx, userId } = change
  if (removeIds.length > 0) await tx.query({ name: 'files untag', text: REMOVE, values: [userId, ids, removeIds] })
  if (addIds.length > 0) await tx.query({ name: 'files tag', text: ADD, values: [userId, ids, addIds] })
}

const COLOR = `update files set color = $3::"LabelColor"
  where user_id = $1 and id = any($2::uuid[]) and kind = 'FOLDER' and color is distinct from $3::"LabelColor"`

export function onlyFolders(): ConflictError {
  return new ConflictError('Only folders can have a colour. Please use a tag for files.')
}

/** Of folders. null: the usual colour. @throws NotFoundError */
async function colorEntries(change: Change, ids: readonly string[], color: LabelColor | null): Promise<void> {
  await report(change, ids)
  await change.tx.query({ name: 'files color', text: COLOR, values: [change.userId, ids, color] })
}

async function report(change: Change, ids: readonly string[]): Promise<void> {
  for (const { id, parentId } of await lockEntries(change, ids)) {
    change.changedIds.add(id)
    change.parentIds.add(parentId)
  }
}
