import type pg from 'pg'
import { NotFoundError } from '../errors.ts'
import type { FileKind, FilePage, FileState, ListFiles } from '../services.ts'
import type { Viewer } from '../viewer.ts'
import type { Place } from './cursor.ts'
import { searchKey } from './names.ts'
import { cursorOf, type Order, orderOf, placeOf, placeOfRow, standsAfter } from './order.ts'
import { FILE_COLUMNS, type FileRow, ROOT, toFile } from './rows.ts'

type ListedRow = FileRow & { readonly sort_key: string }

export type Statement = { readonly name?: string; readonly text: string; readonly values: unknown[] }

/** One page by keyset: an index scan that ends with the page, whatever stands before it or follows. */
export async function listFiles(pool: pg.Pool, viewer: Viewer, options: ListFiles): Promise<FilePage> {
  const order = orderOf(options, isFolderListing(options) && options.foldersFirst !== false)
  const until = options.until === undefined ? null : placeOf(order, options.until, 'until')
  const { rows } = await pool.query<ListedRow>(listStatement(viewer, options, order))
  if (rows.length === 0) await refuseHiddenFolder(pool, viewer, options)

  const found = inOrder(rows, options, order)
  const within = until ? found.filter((row) => !standsAfter(order, row, until)) : found
  const items = within.slice(0, options.limit).map((row) => ({ file: toFile(row), cursor: cursorOf(order, row) }))
  return { items, hasNextPage: found.length > items.length }
}

/** A search looks through the whole view, so only DRIVE without a query goes by folder. */
function isFolderListing({ view, query }: ListFiles): boolean {
  return view === 'DRIVE' && !wanted(query)
}

function wanted(query: string | undefined): string {
  return searchKey(storable(query ?? '').trim())
}

/** Without the characters that no name holds, and some of which PostgreSQL would not take. */
function storable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}]/gu, '')
}

/** The statement of a page: one row more than asked for tells whether there is more. Exported for the tests of its plan. */
export function listStatement(viewer: Viewer, options: ListFiles, order: Order): Statement {
  const after = options.after === undefined ? null : placeOf(order, options.after, 'after')
  const values: unknown[] = [viewer.userId]
  const bind = (value: unknown) => `$${values.push(value)}`
  const limit = bind(options.limit + 1)
  const filters = filtersOf(options, bind)
  const isFolder = isFolderListing(options)
  const scope = isFolder ? folderScope(options.parentId ?? ROOT, bind) : flatScope(options)
  const place = after && { kind: after.kind, sql: placeSql(order, after, bind) }

  const scan = (conditions: readonly string[]) =>
    `select ${FILE_COLUMNS}, f.sort_key from files f
     where ${['f.user_id = $1', 'f.purged_at is null', ...scope, ...filters, ...conditions].join(' and ')}
     order by f.${order.column} ${order.direction}, f.id ${order.direction} limit ${limit}`
  const text = isFolder ? byKind(scan, place, order.foldersFirst) : scan(place ? [place.sql] : [])
  // Filters and searches are planned with their values: how many rows they match decides the plan.
  if (filters.length > 0) return { text, values }
  return {
    name: `files ${order.list}${isFolder ? '' : ' flat'} ${options.parentId ? 'folder' : 'root'} ${after?.kind ?? ''}`,
    text,
    values,
  }
}

/**
 * Folders and files are two scans of one index. With folders first the first scan is left out once the reader has passed
 * the folders; else both begin at the reader's place, and their rows are merged afterwards.
 */
function byKind(
  scan: (conditions: string[]) => string,
  place: { kind: FileKind; sql: string } | null,
  foldersFirst: boolean,
): string {
  const isBound = (kind: FileKind) => place !== null && (place.kind === kind || !foldersFirst)
  const scanKind = (kind: FileKind) =>
    `(${scan([`f.kind = '${kind}'`, ...(isBound(kind) && place ? [place.sql] : [])])})`
  return foldersFirst && place?.kind === 'FILE'
    ? scanKind('FILE')
    : `${scanKind('FOLDER')} union all ${scanKind('FILE')}`
}

function inOrder(rows: readonly ListedRow[], options: ListFiles, order: Order): readonly ListedRow[] {
  if (order.foldersFirst) return foldersBeforeFiles(rows)
  if (!isFolderListing(options)) return rows
  return rows.toSorted((a, b) => (standsAfter(order, a, placeOfRow(order, b)) ? 1 : -1))
}

function foldersBeforeFiles(rows: readonly ListedRow[]): ListedRow[] {
  return [...rows.filter((row) => row.kind === 'FOLDER'), ...rows.filter((row) => row.kind === 'FILE')]
}

function placeSql({ column, type, direction }: Order, { key, id }: Place, bind: (value: unknown) => string): string {
  return `(f.${column}, f.id) ${direction === 'asc' ? '>' : '<'} (${bind(key)}::${type}, ${bind(id)}::uuid)`
}

/** What stands in a folder. That it is the viewer's and alive is asked once per statement, not per row. */
function folderScope(parentId: string, bind: (value: unknown) => string): string[] {
  const parent = bind(parentId)
  const scope = [`coalesce(f.parent_id, '${ROOT}') = ${parent}::uuid`, 'f.trashed_at is null']
  if (parentId === ROOT) return scope
  return [...scope, `exists (${LIVE_FOLDER.replace('$2', parent)})`]
}

const LIVE_FOLDER = `select from files p where p.id = $2::uuid and p.user_id = $1 and p.kind = 'FOLDER'
  and p.trashed_at is null and p.trash_root_id is null and p.purged_at is null`

function flatScope({ view }: ListFiles): string[] {
  if (view === 'TRASH') return ['f.trashed_at is not null']
  const scope = ['f.trash_root_id is null']
  if (view === 'STARRED') scope.push('f.starred')
  if (view === 'SHARED') scope.push('f.share_count > 0')
  return scope
}

function filtersOf(options: ListFiles, bind: (value: unknown) => string): string[] {
  const filters: string[] = []
  const query = wanted(options.query)
  if (query) filters.push(`f.search_key like ${bind(`%${query.replace(/[\\%_]/g, '\\$&')}%`)}`)
  if (options.categories) filters.push(`f.category = any(${bind(options.categories)}::"FileCategory"[])`)
  if (options.groupCloudId) filters.push(`f.group_cloud_id = ${bind(options.groupCloudId)}`)
  if (options.provider) filters.push(heldBy(`a.provider = ${bind(storable(options.provider))}`))
  if (options.accountId) filters.push(heldBy(`a.id = ${bind(options.accountId)}`))
  if (options.states) filters.push(stateFilter(options.states, bind))
  return filters
}

/** As `storedIn` tells it. */
function heldBy(account: string): string {
  return `exists (select from copies c join pieces p on p.copy_id = c.id join accounts a on a.id = p.account_id
    where c.file_id = f.id and c.state <> 'MISSING' and a.disconnected_at is null and ${account})`
}

/** Folders are in no state. What is at risk alone is read from its own index, for which the state must stand in the statement. */
function stateFilter(states: readonly FileState[], bind: (value: unknown) => string): string {
  const wanted = states.every((state) => state === 'AT_RISK') && states.length > 0
  return `f.kind = 'FILE' and f.state ${wanted ? "= 'AT_RISK'" : `= any(${bind(states)}::"FileState"[])`}`
}

/** An empty page of a folder may mean that there is no such folder. @throws NotFoundError */
async function refuseHiddenFolder(pool: pg.Pool, viewer: Viewer, options: ListFiles): Promise<void> {
  if (!isFolderListing(options) || !options.parentId) return
  const { rowCount } = await pool.query({
    name: 'files live folder',
    text: LIVE_FOLDER,
    values: [viewer.userId, options.parentId],
  })
  if (rowCount === 0) throw new NotFoundError('There is no such folder. It may have been deleted.')
}
