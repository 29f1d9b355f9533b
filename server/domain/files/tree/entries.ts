import type pg from 'pg'
import type { Prisma } from '../../../db/generated/prisma/client.ts'
import { createGroupedRead } from '../../../lib/concurrency.ts'
import type { EntryRights, NativeKind } from '../../../providers/driver.ts'
import { parseExportTypes } from '../../../providers/exportTypes.ts'
import { NotFoundError } from '../../errors.ts'
import type { Viewer } from '../../viewer.ts'
import type { Copy, File, FileCategory, FileKind, FileState, InPlaceDetails, LabelColor } from '../contract.ts'

/** Stands for the root in expressions over `parent_id`, whose indexes cannot compare null. */
export const ROOT = '00000000-0000-0000-0000-000000000000'

// What is only known of entries in accounts.

const RIGHTS = { read: 1, write: 2, rename: 4, move: 8, delete: 16, share: 32 } as const satisfies Record<
  keyof EntryRights,
  number
>

/** The sum of the bits in `account_entries.rights`. */
export function rightsToBits(rights: EntryRights): number {
  return Object.entries(RIGHTS).reduce((sum, [name, bit]) => sum + (rights[name as keyof EntryRights] ? bit : 0), 0)
}

/** By the sum of their bits: a page of a list has as many rights as rows, mostly the same ones. */
const ALL_RIGHTS: readonly EntryRights[] = Array.from({ length: 64 }, (_, bits) => {
  const has = (name: keyof EntryRights) => (bits & RIGHTS[name]) !== 0
  return {
    read: has('read'),
    write: has('write'),
    rename: has('rename'),
    move: has('move'),
    delete: has('delete'),
    share: has('share'),
  }
})

/** @param bits as rightsToBits returns them */
export function rightsOfBits(bits: number): EntryRights {
  return ALL_RIGHTS[bits & 63] as EntryRights
}

/** Read, write and share: the folder that shows an account is renamed and removed with the account. */
const ROOT_RIGHTS = 35

/** Read, move and share: a file that the account does not have yet can be moved to a folder of Skypool's own. */
const ARRIVING_RIGHTS = 41

/** What IN_PLACE_COLUMN reads of an entry in an account; an array, because that is the shortest form in a long page. */
type InPlaceRow = readonly [
  webUrl: string | null,
  nativeKind: NativeKind | null,
  exportTypes: string | null,
  rights: number,
  asOf: string | null,
  mayBeProtected: boolean,
  /** The account was listed completely once: until then, entries of its folders are still to come. */
  isListed: boolean,
]
const IS_LISTED = 6

/**
 * The SQL of an InPlaceRow for a table alias `f` of `files`; null for Skypool's own entries. It is part of most statements: each further
 * table and column would cost Skypool's own entries time, too.
 */
const IN_PLACE_COLUMN = `case when f.account_id is not null then (
    select json_build_array(e.web_url, e.native_kind, e.export_types,
      coalesce(e.rights, case when i.root_file_id = f.id then ${ROOT_RIGHTS} else ${ARRIVING_RIGHTS} end),
      case when i.walked and f.kind = 'FOLDER' then greatest(i.as_of, case when e.file_id is null then i.looked_at else e.looked_at end) end,
      exists (select from protections p where p.account_id = i.account_id), i.passed_at is not null)
    from account_indexes i left join account_entries e on e.file_id = f.id where i.account_id = f.account_id) end`

/** Of a file that was just received for a folder of an account. */
export const ARRIVING: InPlaceDetails = {
  webUrl: null,
  nativeKind: null,
  exportTypes: [],
  rights: rightsOfBits(ARRIVING_RIGHTS),
  asOf: null,
  mayBeProtected: true,
}

function toInPlaceDetails(row: InPlaceRow): InPlaceDetails {
  const [webUrl, nativeKind, exportTypes, rights, asOf, mayBeProtected] = row
  return {
    webUrl,
    nativeKind,
    exportTypes: parseExportTypes(exportTypes),
    rights: rightsOfBits(rights),
    asOf: asOf === null ? null : new Date(asOf),
    mayBeProtected,
  }
}

// What is read of every entry.

/** Columns of a `FileRow`, for a table alias `f`. */
export const FILE_COLUMNS = `f.id, f.parent_id, f.kind, f.name, f.category, f.mime_type, f.size::float8 as size, f.native,
  encode(f.sha256, 'hex') as sha256, f.state, f.state_reason, f.group_cloud_id, f.starred, f.color, f.child_count, f.trashed_at,
  f.created_at, f.updated_at, f.account_id, f.taken_at, f.picture_width, f.picture_height,
  ${IN_PLACE_COLUMN} as details`

export type FileRow = {
  readonly id: string
  readonly parent_id: string | null
  readonly kind: FileKind
  readonly name: string
  readonly category: FileCategory
  readonly mime_type: string | null
  readonly size: number
  readonly native: boolean
  readonly sha256: string | null
  readonly state: FileState
  readonly state_reason: string | null
  readonly group_cloud_id: string | null
  readonly starred: boolean
  readonly color: LabelColor | null
  readonly child_count: number
  readonly trashed_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly account_id: string | null
  readonly taken_at: Date | null
  readonly picture_width: number | null
  readonly picture_height: number | null
  readonly details: InPlaceRow | null
}

export function toFile(row: FileRow): File {
  return {
    id: row.id,
    parentId: row.parent_id,
    kind: row.kind,
    name: row.name,
    category: row.category,
    mimeType: row.mime_type,
    size: row.size,
    isNative: row.native,
    sha256: row.sha256,
    state: row.state,
    stateReason: row.state_reason,
    groupCloudId: row.group_cloud_id,
    starred: row.starred,
    color: row.color,
    childCount: childCountOf(row),
    trashedAt: row.trashed_at,
    createdAt: row.created_at,
    accountId: row.account_id,
    updatedAt: row.updated_at,
    inPlace: row.details && toInPlaceDetails(row.details),
    picture: pictureOf(row),
  }
}

function childCountOf({ kind, details, child_count: count }: FileRow): number | null {
  const isListed = details === null || details[IS_LISTED]
  return kind === 'FOLDER' && !isListed ? null : count
}

function pictureOf({ picture_width: width, picture_height: height, taken_at: takenAt }: FileRow): File['picture'] {
  return width === null || height === null ? null : { width, height, takenAt }
}

/** A pool, or a client with an open transaction. */
export type Queryable = Pick<pg.ClientBase, 'query'>

const getting = (which: string) =>
  `select ${FILE_COLUMNS} from files f where f.id = ${which} and f.user_id = $1 and f.purged_at is null`
/**
 * Most queries are for one file. PostgreSQL does not know the length of an array parameter and plans such a query on
 * each call.
 */
const GET_ONE = { name: 'files get one', text: getting('$2::uuid') }
const GET = { name: 'files get', text: getting('any($2::uuid[])') }

/** In the order of `ids`; null for missing entries and those of other users. */
export async function getFiles(sql: Queryable, viewer: Pick<Viewer, 'userId'>, ids: readonly string[]) {
  const asked =
    ids.length === 1 ? { ...GET_ONE, values: [viewer.userId, ids[0]] } : { ...GET, values: [viewer.userId, ids] }
  const { rows } = await sql.query<FileRow>(asked)
  const byId = new Map(rows.map((row) => [row.id, toFile(row)]))
  return ids.map((id) => byId.get(id) ?? null)
}

/** Reads of entries; those that requests ask for together share one query. */
export function createFileReads(pool: Queryable) {
  const read = createGroupedRead<File>(async (userId, ids) => {
    const files = await getFiles(pool, { userId }, ids)
    return new Map(files.flatMap((file) => (file ? [[file.id, file] as const] : [])))
  })
  return {
    /** @throws NotFoundError */
    async get({ userId }: Pick<Viewer, 'userId'>, id: string): Promise<File> {
      const file = (await read(userId, [id])).get(id)
      if (!file) throw new NotFoundError()
      return file
    },
    /** In the order of `ids`; null for missing entries and those of other users. */
    async getMany({ userId }: Pick<Viewer, 'userId'>, ids: readonly string[]): Promise<(File | null)[]> {
      const files = await read(userId, ids)
      return ids.map((id) => files.get(id) ?? null)
    },
  }
}

/** @throws NotFoundError when one of them is missing or not the viewer's */
export async function requireFiles(
  sql: Queryable,
  viewer: Pick<Viewer, 'userId'>,
  ids: readonly string[],
): Promise<File[]> {
  const files = await getFiles(sql, viewer, ids)
  return files.map((file) => {
    if (!file) throw new NotFoundError()
    return file
  })
}

/** @throws NotFoundError */
export async function requireFile(sql: Queryable, viewer: Pick<Viewer, 'userId'>, id: string): Promise<File> {
  const [file] = await getFiles(sql, viewer, [id])
  if (!file) throw new NotFoundError()
  return file
}

/** Each folder once, however many of the paths it is in. */
const PATHS = {
  name: 'files paths',
  text: `with recursive up as (
      select id, parent_id from files where id = any($2::uuid[]) and user_id = $1
      union select f.id, f.parent_id from up join files f on f.id = up.parent_id)
    select ${FILE_COLUMNS} from up join files f on f.id = up.id`,
}

/** The folders from the root to each of these, itself last. Missing: what is not the viewer's. */
export async function pathsTo(
  sql: Queryable,
  viewer: Pick<Viewer, 'userId'>,
  folderIds: readonly string[],
): Promise<Map<string, readonly File[]>> {
  const { rows } = await sql.query<FileRow>({ ...PATHS, values: [viewer.userId, folderIds] })
  const byId = new Map(rows.map((row) => [row.id, toFile(row)]))
  const paths = new Map<string, readonly File[]>()
  const pathTo = (folder: File): readonly File[] => {
    const known = paths.get(folder.id)
    if (known) return known
    const parent = byId.get(folder.parentId ?? '')
    const path = parent ? [...pathTo(parent), folder] : [folder]
    paths.set(folder.id, path)
    return path
  }
  for (const id of folderIds) {
    const folder = byId.get(id)
    if (folder) pathTo(folder)
  }
  return paths
}

const copying = (
  which: string,
) => `select c.file_id as "fileId", c.id, c.state, c.why, min(p.changed_at) as "changedAt",
    case when c.state = 'STORED' then min(greatest(c.created_at, p.checked_at, feed.checked_at)) end as "checkedAt",
    coalesce(json_agg(json_build_object('accountId', p.account_id, 'provider', a.provider, 'index', p.index,
      'offset', p.offset, 'size', p.size, 'state', p.state) order by p.index) filter (where p.id is not null), '[]') as pieces
  from files f join copies c on c.file_id = f.id
    left join pieces p on p.copy_id = c.id left join accounts a on a.id = p.account_id
    left join account_feeds feed on feed.account_id = p.account_id
  where f.id = ${which} and f.user_id = $1 and f.purged_at is null
  group by c.id having bool_and(a.disconnected_at is null) order by c.created_at, c.id`
const COPIES_OF_ONE = { name: 'files copies of one', text: copying('$2::uuid') }
const COPIES = { name: 'files copies', text: copying('any($2::uuid[])') }

/** Copies of each file, oldest first, without copies that have a piece on a disconnected account. */
export async function copiesOf(
  sql: Queryable,
  viewer: Pick<Viewer, 'userId'>,
  ids: readonly string[],
): Promise<Map<string, Copy[]>> {
  const { rows } = await sql.query<Copy & { fileId: string }>(
    ids.length === 1
      ? { ...COPIES_OF_ONE, values: [viewer.userId, ids[0]] }
      : { ...COPIES, values: [viewer.userId, ids] },
  )
  const copies = new Map<string, Copy[]>(ids.map((id) => [id, []]))
  for (const { fileId, ...copy } of rows) copies.get(fileId)?.push(copy)
  return copies
}

/**
 * Distinct ids of the accounts that hold bytes of each file, planned pieces included; without damaged copies and
 * disconnected accounts.
 */
export async function accountsHolding(
  sql: Queryable,
  viewer: Viewer,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const { rows } = await sql.query<{ file_id: string; account_ids: string[] }>({
    name: 'files stored in',
    text: `select c.file_id, array_agg(distinct p.account_id)::text[] as account_ids
      from files f join copies c on c.file_id = f.id and c.state <> 'MISSING' join pieces p on p.copy_id = c.id
        join accounts a on a.id = p.account_id and a.disconnected_at is null
      where f.id = any($2::uuid[]) and f.user_id = $1 and f.purged_at is null group by c.file_id`,
    values: [viewer.userId, ids],
  })
  const holding = new Map<string, string[]>(ids.map((id) => [id, []]))
  for (const row of rows) holding.set(row.file_id, row.account_ids)
  return holding
}

/** Bytes of all live files below a folder, summed by walking the whole subtree. @throws NotFoundError */
export async function contentSize(sql: Queryable, viewer: Viewer, id: string): Promise<number> {
  await requireFile(sql, viewer, id)
  const { rows } = await sql.query<{ bytes: number }>(
    `with recursive tree as (
       select id, size from files where id = $1
       union all select f.id, f.size from tree join files f on f.parent_id = tree.id
         where f.trashed_at is null and f.purged_at is null and not f.is_version)
     select coalesce(sum(size), 0)::float8 as bytes from tree`,
    [id],
  )
  return rows[0]?.bytes ?? 0
}

/** The entries that a viewer may see: their own, including trash, until they are permanently deleted. */
export const visibleTo = (viewer: Viewer) => ({ userId: viewer.userId, purgedAt: null }) satisfies Prisma.FileWhereInput
