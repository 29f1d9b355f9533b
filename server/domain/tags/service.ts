import type { Pool } from 'pg'
import { transaction } from '../../db/pool.ts'
import { newId } from '../../lib/ids.ts'
import { ConflictError, InvalidInputError, NameTakenError, NotFoundError } from '../errors.ts'
import type { Events } from '../events.ts'
import type { LabelColor } from '../files/contract.ts'
import type { Queryable } from '../files/tree/entries.ts'
import { nameKey } from '../files/tree/names.ts'
import { claimKey, fingerprintOf } from '../idempotency/keys.ts'
import type { Viewer } from '../viewer.ts'

/** A user's own label for files and folders. No one else sees it. */
export type Tag = {
  readonly id: string
  readonly name: string
  readonly color: LabelColor
  readonly createdAt: Date
}

type TagInput = {
  /** 1 to 50 characters, unique for the user without regard to case. */
  readonly name: string
  readonly color: LabelColor
}

/** undefined keeps a field. */
type TagPatch = { readonly [Field in keyof TagInput]?: TagInput[Field] | undefined }

/** Tags are put on files by `FilesService.changeEach` and `changeSelection`. */
export interface TagsService {
  /** All of the viewer's, by name; at most 100. */
  list(viewer: Viewer): Promise<Tag[]>
  /** In the order of `ids`; null for tags that are not the viewer's. */
  getMany(viewer: Viewer, ids: readonly string[]): Promise<(Tag | null)[]>
  /** Tags by file id, by name. */
  ofFiles(viewer: Viewer, fileIds: readonly string[]): Promise<Map<string, Tag[]>>
  /** Numbers of files and folders outside the trash by tag id. */
  counts(viewer: Viewer, ids: readonly string[]): Promise<Map<string, number>>
  /** @throws InvalidInputError, NameTakenError, ConflictError (too many tags), IdempotencyKeyReusedError */
  create(viewer: Viewer, input: TagInput, idempotencyKey?: string): Promise<Tag>
  /** @throws NotFoundError, InvalidInputError, NameTakenError */
  update(viewer: Viewer, id: string, patch: TagPatch): Promise<Tag>
  /** Takes it off all files; they stay. @throws NotFoundError */
  remove(viewer: Viewer, id: string): Promise<void>
}

export type TagsDeps = { readonly pool: Pool; readonly events: Pick<Events, 'publish'> }

const MOST_TAGS = 100
const LONGEST_NAME = 50
/** Files whose lists are refreshed one by one when their tag is deleted; with more, everything is. */
const MOST_REPORTED = 100

const COLUMNS = 't.id, t.name, t.color, t.created_at as "createdAt"'

export function createTagsService(deps: TagsDeps): TagsService {
  const { pool } = deps
  return {
    list: (viewer) => listTags(pool, viewer),
    getMany: (viewer, ids) => getTags(pool, viewer, ids),
    ofFiles: (viewer, fileIds) => tagsOfFiles(pool, viewer, fileIds),
    counts: (viewer, ids) => countFiles(pool, viewer, ids),
    create: (viewer, input, key) => createTag(deps, viewer, input, key),
    update: (viewer, id, patch) => updateTag(deps, viewer, id, patch),
    remove: (viewer, id) => removeTag(deps, viewer, id),
  }
}

const LIST = `select ${COLUMNS} from tags t where t.user_id = $1 order by t.name_key`

async function listTags(sql: Queryable, { userId }: Viewer): Promise<Tag[]> {
  return (await sql.query<Tag>({ name: 'tags list', text: LIST, values: [userId] })).rows
}

const GET = `select ${COLUMNS} from tags t where t.user_id = $1 and t.id = any($2::uuid[])`

async function getTags(sql: Queryable, { userId }: Viewer, ids: readonly string[]): Promise<(Tag | null)[]> {
  const { rows } = await sql.query<Tag>({ name: 'tags get', text: GET, values: [userId, ids] })
  const byId = new Map(rows.map((tag) => [tag.id, tag]))
  return ids.map((id) => byId.get(id) ?? null)
}

const OF_FILES = `select ft.file_id as "fileId", ${COLUMNS} from file_tags ft join tags t on t.id = ft.tag_id
  where t.user_id = $1 and ft.file_id = any($2::uuid[]) order by t.name_key`

async function tagsOfFiles(
  sql: Queryable,
  { userId }: Viewer,
  fileIds: readonly string[],
): Promise<Map<string, Tag[]>> {
  const { rows } = await sql.query<Tag & { readonly fileId: string }>({
    name: 'tags of files',
    text: OF_FILES,
    values: [userId, fileIds],
  })
  const tags = new Map<string, Tag[]>(fileIds.map((id) => [id, []]))
  for (const { fileId, ...tag } of rows) tags.get(fileId)?.push(tag)
  return tags
}

const COUNT = `select t.id, count(f.id)::int as count from tags t left join file_tags ft on ft.tag_id = t.id
    left join files f on f.id = ft.file_id and f.purged_at is null and f.trash_root_id is null
  where t.user_id = $1 and t.id = any($2::uuid[]) group by t.id`

async function countFiles(sql: Queryable, { userId }: Viewer, ids: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql.query<{ id: string; count: number }>({
    name: 'tags count',
    text: COUNT,
    values: [userId, ids],
  })
  return new Map(rows.map(({ id, count }) => [id, count]))
}

/** The name as it is stored. @throws InvalidInputError */
function checkedName(name: string): string {
  const text = name.normalize('NFC').trim()
  const length = [...text].length
  if (length >= 1 && length <= LONGEST_NAME && !/[\p{Cc}\p{Cs}]/u.test(text)) return text
  throw new InvalidInputError([{ path: 'name', message: `Please enter a name of 1 to ${LONGEST_NAME} characters.` }])
}

const LOCK_USER = 'select from users where id = $1 for no key update'
const INSERT = `insert into tags (id, user_id, name, name_key, color) values ($2, $1, $3, $4, $5::"LabelColor")`

async function createTag(
  { pool, events }: TagsDeps,
  viewer: Viewer,
  input: TagInput,
  key: string | undefined,
): Promise<Tag> {
  const { userId } = viewer
  const name = checkedName(input.name)
  const tag = await transaction(pool, async (tx) => {
    // One after the other per user, so that neither the limit nor a name is exceeded.
    await tx.query({ name: 'tags lock user', text: LOCK_USER, values: [userId] })
    const id = newId()
    if (key !== undefined) {
      const sql = async (text: string, values: readonly unknown[]) => (await tx.query(text, [...values])).rows
      const claim = { userId, key, operation: 'createTag', fingerprint: fingerprintOf([name, input.color]) }
      const earlier = await claimKey(sql, { ...claim, resultId: id })
      if (earlier !== null) return requireTag(tx, viewer, earlier)
    }
    const tags = await listTags(tx, viewer)
    refuseTaken(tags, name)
    if (tags.length >= MOST_TAGS) {
      throw new ConflictError(`You have ${MOST_TAGS} tags, and there cannot be more. Please delete one first.`)
    }
    await tx.query(INSERT, [userId, id, name, nameKey(name), input.color])
    return requireTag(tx, viewer, id)
  })
  events.publish('tagsChanged', userId, {})
  return tag
}

async function requireTag(sql: Queryable, viewer: Viewer, id: string): Promise<Tag> {
  const [tag] = await getTags(sql, viewer, [id])
  if (!tag) throw new NotFoundError('There is no such tag. It may have been deleted.')
  return tag
}

/** @throws NameTakenError */
function refuseTaken(tags: readonly Tag[], name: string, exceptId?: string): void {
  const taken = tags.find((tag) => tag.id !== exceptId && nameKey(tag.name) === nameKey(name))
  if (taken) throw new NameTakenError(taken.name)
}

const UPDATE = `update tags set name = $3, name_key = $4, color = $5::"LabelColor" where id = $2 and user_id = $1`

async function updateTag({ pool, events }: TagsDeps, viewer: Viewer, id: string, patch: TagPatch): Promise<Tag> {
  const { userId } = viewer
  const given = patch.name === undefined ? undefined : checkedName(patch.name)
  const tag = await transaction(pool, async (tx) => {
    await tx.query({ name: 'tags lock user', text: LOCK_USER, values: [userId] })
    const before = await requireTag(tx, viewer, id)
    const { name, color } = { name: given ?? before.name, color: patch.color ?? before.color }
    refuseTaken(await listTags(tx, viewer), name, id)
    await tx.query(UPDATE, [userId, id, name, nameKey(name), color])
    return requireTag(tx, viewer, id)
  })
  events.publish('tagsChanged', userId, {})
  return tag
}

const TAGGED = `select ft.file_id as id from file_tags ft join tags t on t.id = ft.tag_id
  where t.user_id = $1 and t.id = $2 limit ${MOST_REPORTED + 1}`
const DELETE = 'delete from tags where user_id = $1 and id = $2'

async function removeTag({ pool, events }: TagsDeps, viewer: Viewer, id: string): Promise<void> {
  const { userId } = viewer
  const fileIds = await transaction(pool, async (tx) => {
    await tx.query({ name: 'tags lock user', text: LOCK_USER, values: [userId] })
    await requireTag(tx, viewer, id)
    const { rows } = await tx.query<{ id: string }>(TAGGED, [userId, id])
    await tx.query(DELETE, [userId, id])
    return rows.map((row) => row.id)
  })
  events.publish('tagsChanged', userId, {})
  if (fileIds.length === 0) return
  const truncated = fileIds.length > MOST_REPORTED
  const listed = truncated ? [] : fileIds
  events.publish('filesChanged', userId, { fileIds: listed, removedIds: [], parentIds: [], truncated })
}
