import type { Pool } from 'pg'
import { InvalidInputError, NotFoundError } from '../errors.ts'
import { HASHES_OF_FILE } from '../files/content/hashes.ts'
import type { FileCategory } from '../files/contract.ts'
import { FILE_COLUMNS, type FileRow, rightsToBits, toFile } from '../files/tree/entries.ts'
import type { Viewer } from '../viewer.ts'
import { byKey } from './check.ts'
import {
  type DuplicateFilter,
  type DuplicateGroup,
  type DuplicateMatch,
  type DuplicatePage,
  type KeepRule,
  type ListDuplicates,
  MOST_FILES,
  type Reclaimable,
} from './contract.ts'

// Reads groups of duplicates: pages in keyset order, and sums.

/** A file without this right stays, whatever the rule. */
const DELETABLE = { read: false, write: false, rename: false, move: false, delete: true, share: false }

type Bind = (value: unknown) => string

type GroupRow = {
  readonly id: string
  readonly certain: boolean
  readonly match: DuplicateMatch
  readonly hash: string | null
  readonly size: number
  readonly files: number
  readonly waste: number
  readonly category: FileCategory
}

const GROUP_COLUMNS =
  'g.id, g.certain, g.match, g.hash, g.size::float8 as size, g.files, g.waste::float8 as waste, g.category'

export async function listGroups(pool: Pool, viewer: Viewer, options: ListDuplicates): Promise<DuplicatePage> {
  const { rows } = await pool.query<GroupRow>(listStatement(viewer, options))
  const shown = rows.slice(0, options.limit)
  const groups = await withFiles(pool, viewer, shown)
  const items = groups.map((group, index) => ({ group, cursor: cursorOf(shown[index] as GroupRow) }))
  return { items, hasNextPage: rows.length > shown.length }
}

/** One row more than requested shows whether there is another page. Exported for the tests of its plan. */
export function listStatement({ userId }: Viewer, options: ListDuplicates): { text: string; values: unknown[] } {
  const values: unknown[] = [userId]
  const bind: Bind = (value) => `$${values.push(value)}`
  const { from, key, conditions } = scopeOf(options, bind)
  if (options.after !== undefined) {
    const { waste, id } = placeOf(options.after)
    conditions.push(`(${key.waste}, ${key.id}) < (${bind(waste)}::bigint, ${bind(id)}::uuid)`)
  }
  const text = `select ${GROUP_COLUMNS} from ${from} where ${conditions.join(' and ')}
    order by ${key.waste} desc, ${key.id} desc limit ${bind(options.limit + 1)}`
  return { text, values }
}

/** With an account, the rows of its files are read in order; otherwise the groups. */
function scopeOf(filter: DuplicateFilter, bind: Bind) {
  const conditions = ['g.user_id = $1', ...filtersOf(filter, bind)]
  if (filter.accountId === undefined && filter.home === undefined) {
    return { from: 'duplicate_groups g', key: { waste: 'g.waste', id: 'g.id' }, conditions }
  }
  const place =
    filter.accountId === undefined ? 'd.account_id is null' : `d.account_id = ${bind(filter.accountId)}::uuid`
  const both =
    filter.accountId !== undefined && filter.home !== undefined
      ? [`exists (select from duplicate_files o where o.group_id = g.id and o.account_id is null)`]
      : []
  return {
    from: `(select distinct d.waste, d.group_id from duplicate_files d where d.user_id = $1 and ${place}) m
      join duplicate_groups g on g.id = m.group_id`,
    key: { waste: 'm.waste', id: 'm.group_id' },
    conditions: [...conditions, ...both],
  }
}

function filtersOf({ certainty, parentId, categories, minSize }: DuplicateFilter, bind: Bind): string[] {
  const filters: string[] = []
  if (certainty) filters.push(certainty === 'CERTAIN' ? 'g.certain' : 'not g.certain')
  if (minSize !== undefined) filters.push(`g.size >= ${bind(minSize)}::bigint`)
  if (categories) filters.push(`g.category = any(${bind(categories)}::"FileCategory"[])`)
  if (parentId !== undefined) filters.push(`g.id in (${groupsBelow(bind(parentId))})`)
  return filters
}

/** Groups with a file anywhere below a folder. */
function groupsBelow(folder: string): string {
  return `with recursive below (id) as (
      select ${folder}::uuid union select f.id from below join files f on f.parent_id = below.id
        where f.kind = 'FOLDER' and f.trashed_at is null and f.purged_at is null)
    select d.group_id from below join files f on f.parent_id = below.id and f.kind = 'FILE' join duplicate_files d on d.file_id = f.id`
}

const FOLDER = `select from files where id = $1 and user_id = $2 and kind = 'FOLDER' and trash_root_id is null and purged_at is null`

const ACCOUNT = 'select from accounts where id = $1 and user_id = $2 and disconnected_at is null'

/** @throws NotFoundError for an account or folder of the filter that is not the viewer's */
export async function requirePlaces(
  pool: Pool,
  viewer: Viewer,
  { accountId, parentId }: DuplicateFilter,
): Promise<void> {
  await requireFolder(pool, viewer, parentId)
  if (accountId === undefined) return
  const { rowCount } = await pool.query(ACCOUNT, [accountId, viewer.userId])
  if (rowCount === 0) throw new NotFoundError('There is no such account. It may have been disconnected.')
}

/** @throws NotFoundError for an account or folder of the filter or the rule that is not the viewer's */
export async function requireRulePlaces(
  pool: Pool,
  viewer: Viewer,
  filter: DuplicateFilter,
  rule: KeepRule,
): Promise<void> {
  await requirePlaces(pool, viewer, filter)
  if (rule.keep === 'FOLDER') await requireFolder(pool, viewer, rule.folderId)
  if (rule.keep === 'ACCOUNT') await requirePlaces(pool, viewer, rule)
}

/** @throws NotFoundError for what is not a folder of the viewer */
async function requireFolder(pool: Pool, { userId }: Viewer, id: string | undefined): Promise<void> {
  if (id === undefined) return
  const { rowCount } = await pool.query(FOLDER, [id, userId])
  if (rowCount === 0) throw new NotFoundError('There is no such folder. It may have been deleted.')
}

const GET = `select ${GROUP_COLUMNS} from duplicate_groups g where g.id = any($2::uuid[]) and g.user_id = $1`

/** In the order of `ids`; null for what is not there. */
export async function getGroups(
  pool: Pool,
  viewer: Viewer,
  ids: readonly string[],
): Promise<(DuplicateGroup | null)[]> {
  const { rows } = await pool.query<GroupRow>(GET, [viewer.userId, ids])
  const groups = new Map((await withFiles(pool, viewer, rows)).map((group) => [group.id, group]))
  return ids.map((id) => groups.get(id) ?? null)
}

const MEMBERS = `select w.id as group_id, m.* from unnest($2::uuid[]) as w(id) cross join lateral (
    select ${FILE_COLUMNS}, h.quickxor is not null as read from duplicate_files d join files f on f.id = d.file_id
      left join account_entries e on e.file_id = f.id left join content_hashes h on ${HASHES_OF_FILE}
    where d.group_id = w.id and f.user_id = $1 and f.trash_root_id is null and f.purged_at is null
    order by f.updated_at, f.id limit ${MOST_FILES}) m`

async function withFiles(pool: Pool, { userId }: Viewer, rows: readonly GroupRow[]): Promise<DuplicateGroup[]> {
  if (rows.length === 0) return []
  const members = await pool.query<FileRow & { group_id: string; read: boolean }>(MEMBERS, [
    userId,
    rows.map(({ id }) => id),
  ])
  const files = byKey(members.rows, (row) => row.group_id)
  return rows.map(({ id, certain, match, hash, size, category, files: fileCount, waste }) => ({
    id,
    certainty: certain ? 'CERTAIN' : 'LIKELY',
    match,
    hash,
    size,
    category,
    fileCount,
    reclaimableBytes: waste,
    compareBytes: certain ? 0 : size * (files.get(id) ?? []).filter(({ read }) => !read).length,
    files: (files.get(id) ?? []).map(toFile),
  }))
}

const LIST = 'duplicates'

function cursorOf({ waste, id }: GroupRow): string {
  return Buffer.from(JSON.stringify([LIST, waste, id])).toString('base64url')
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** @throws InvalidInputError */
function placeOf(cursor: string): { waste: number; id: string } {
  try {
    const [list, waste, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
    if (list === LIST && Number.isSafeInteger(waste) && typeof id === 'string' && ID.test(id)) {
      return { waste: waste as number, id }
    }
  } catch {
    // Falls through: it is no JSON.
  }
  const message = 'This cursor does not belong to this list. Please read the list from its beginning.'
  throw new InvalidInputError([{ path: 'after', message }])
}

export type Sums = {
  readonly certainGroups: number
  readonly certainBytes: number
  readonly likelyGroups: number
  readonly likelyBytes: number
}

export async function sumGroups(pool: Pool, viewer: Viewer, filter: DuplicateFilter): Promise<Sums> {
  const { rows } = await pool.query<Sums>(sumStatement(viewer, filter))
  return rows[0] ?? { certainGroups: 0, certainBytes: 0, likelyGroups: 0, likelyBytes: 0 }
}

function sumStatement({ userId }: Viewer, filter: DuplicateFilter): { text: string; values: unknown[] } {
  const values: unknown[] = [userId]
  const { from, conditions } = scopeOf(filter, (value) => `$${values.push(value)}`)
  const text = `select count(*) filter (where g.certain)::int as "certainGroups", count(*) filter (where not g.certain)::int as "likelyGroups",
      coalesce(sum(g.waste) filter (where g.certain), 0)::float8 as "certainBytes",
      coalesce(sum(g.waste) filter (where not g.certain), 0)::float8 as "likelyBytes"
    from ${from} where ${conditions.join(' and ')}`
  return { text, values }
}

export async function sumReclaimable(
  pool: Pool,
  viewer: Viewer,
  filter: DuplicateFilter,
  rule: KeepRule,
): Promise<Reclaimable[]> {
  const { rows } = await pool.query<Reclaimable>(reclaimableStatement(viewer, filter, rule))
  return rows
}

/** Numbers the files of each group in the order of the rule; all but the first go. */
function reclaimableStatement(
  { userId }: Viewer,
  filter: DuplicateFilter,
  rule: KeepRule,
): { text: string; values: unknown[] } {
  const values: unknown[] = [userId]
  const bind: Bind = (value) => `$${values.push(value)}`
  const text = `select account_id as "accountId", sum(size)::float8 as bytes, count(*)::int as files
    from (${surplusSql(filter, rule, bind)}) surplus group by account_id order by bytes desc, account_id`
  return { text, values }
}

/** The files that a rule removes: all but the one of each group that stays, without those that their provider does not let go. */
function surplusSql(filter: DuplicateFilter, rule: KeepRule, bind: Bind): string {
  const { from, conditions } = scopeOf({ ...filter, certainty: 'CERTAIN' }, bind)
  const there = placeSql(rule, bind)
  const direction = rule.keep === 'NEWEST' ? 'desc' : 'asc'
  return `select n.id, n.account_id, n.size, n.waste, n.group_id, n.place from (
      select f.id, f.account_id, g.size, g.waste, g.id as group_id,
        row_number() over (partition by g.id order by ${there} desc, f.updated_at ${direction}, f.id ${direction}) as place,
        bool_or(${there}) over (partition by g.id) as has_kept
      from ${from} join duplicate_files d2 on d2.group_id = g.id join files f on f.id = d2.file_id
      where ${conditions.join(' and ')} and f.trash_root_id is null and f.purged_at is null) n
    left join account_entries e on e.file_id = n.id
    where place > 1 and has_kept and (e.rights is null or e.rights & ${rightsToBits(DELETABLE)} <> 0)`
}

/**
 * Adds an item for each file that a rule removes to a job, those of the groups that waste most first.
 * @returns their number
 */
export async function addSurplus(
  tx: Pick<Pool, 'query'>,
  { userId }: Pick<Viewer, 'userId'>,
  jobId: string,
  filter: DuplicateFilter,
  rule: KeepRule,
): Promise<number> {
  const values: unknown[] = [userId]
  const bind: Bind = (value) => `$${values.push(value)}`
  const { rowCount } = await tx.query(
    `insert into file_job_items (job_id, source_id, kind, name, size)
     select ${bind(jobId)}::uuid, f.id, f.kind, f.name, f.size from (${surplusSql(filter, rule, bind)}) s join files f on f.id = s.id
     order by s.waste desc, s.group_id, s.place`,
    values,
  )
  return rowCount ?? 0
}

/** Whether a file `f` is where the rule keeps one. */
function placeSql(rule: KeepRule, bind: Bind): string {
  if (rule.keep === 'POOL') return '(f.account_id is null)'
  if (rule.keep === 'ACCOUNT') return `(f.account_id is not distinct from ${bind(rule.accountId)}::uuid)`
  if (rule.keep !== 'FOLDER') return 'true'
  return `(f.parent_id in (with recursive below (id) as (
      select ${bind(rule.folderId)}::uuid union select c.id from below join files c on c.parent_id = below.id
        where c.kind = 'FOLDER' and c.trashed_at is null and c.purged_at is null) select id from below))`
}
