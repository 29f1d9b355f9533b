import type pg from 'pg'
import { createFairTurns, type FairTurns } from '../../../lib/semaphore.ts'
import { InvalidInputError, NotFoundError, TooManyRequestsError } from '../../errors.ts'
import type { Viewer } from '../../viewer.ts'
import type { FileKind, FilePage, FileState, ListFiles, SelectedFiles } from '../contract.ts'
import { FILE_COLUMNS, type FileRow, ROOT, toFile } from './entries.ts'
import { searchKey } from './names.ts'
import { cursorOf, type Order, orderOf, type Place, placeOf, placeOfRow, standsAfter } from './order.ts'
import { UNSETTLED } from './trash.ts'

/** No name is longer. */
const MOST_CHARACTERS = 255
/** Trigrams of so much find few rows already; each one more costs a list of the index. */
const INDEXED = 32
/** Shorter ones have no trigram. */
const SHORTEST_INDEXED = 3

/** Without the characters that no name holds, and some of which PostgreSQL would not take. */
function storable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}]/gu, '')
}

/** What is looked for in search keys; empty for everything. @throws InvalidInputError for more than any name holds */
export function wantedKey(query: string | undefined): string {
  const text = storable(query ?? '').trim()
  if (text.length <= MOST_CHARACTERS) return searchKey(text)
  const message = `Please search for at most ${MOST_CHARACTERS} characters.`
  throw new InvalidInputError([{ path: 'query', message }])
}

/** Whether no index of trigrams can find it. */
export function isShort(key: string): boolean {
  return key.length > 0 && key.length < SHORTEST_INDEXED
}

/** SQL conditions: `column` holds the key. */
export function matching(key: string, column: string, bind: (value: unknown) => string): string[] {
  const head = key.slice(0, INDEXED).replace(/[\\%_]/g, '\\$&')
  const found = `${column} like ${bind(`%${head}%`)}`
  return key.length > INDEXED ? [found, `strpos(${column}, ${bind(key)}) > 0`] : [found]
}

/** Heavy reads at once: some connections are always left for what is quick, and some of these for other users. */
const HEAVY_READS = { limit: 6, each: 2, mostWaiting: 100 }

/** Turns of users who search; whoever asks for too much at once hears it at once. */
export function createReadTurns(): FairTurns {
  return createFairTurns({ ...HEAVY_READS, refuse: () => new TooManyRequestsError(1) })
}

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
  return view === 'DRIVE' && !wantedKey(query)
}

/** Rows that are looked at for one or two letters: names that begin with them, and what was changed, or trashed, last. */
const MOST_BEGINNING = 3_000
const MOST_RECENT = 2_000

/**
 * What is read. No index of trigrams knows one or two letters: they are looked for at the beginning of all names, by an index of
 * its own, and anywhere in the names of what was changed last, in so many that the answer comes at once.
 */
function sourceOf(options: ListFiles, bind: Bind): { readonly with: string; readonly from: string } {
  const query = wantedKey(options.query)
  if (!isShort(query)) return { with: '', from: 'files' }
  const scope = ['user_id = $1', 'purged_at is null', ...flatScope(options, '')].join(' and ')
  const byTime = options.view === 'TRASH' ? 'trashed_at' : 'updated_at'
  const recent = `select * from (select * from files where ${scope}
      order by ${byTime} desc, id desc limit ${MOST_RECENT}) recent where ${matching(query, 'search_key', bind).join(' and ')}`
  const rows = options.view === 'TRASH' ? recent : `(${beginning(query, scope, bind)}) union ${recent}`
  return { with: `with found as materialized (${rows}) `, from: 'found' }
}

function beginning(query: string, scope: string, bind: Bind): string {
  const begin = bind(query)
  const after = query.length === 1 && bind(String.fromCharCode(query.charCodeAt(0) + 1))
  const range = after ? `>= ${begin} and left(search_key, 2) < ${after}` : `= ${begin}`
  return `select * from files where ${scope} and left(search_key, 2) ${range}
    order by left(search_key, 2), sort_key, id limit ${MOST_BEGINNING}`
}

type Bind = (value: unknown) => string

/** Whether a page may have to look at many rows: by what names hold, or by what no index goes by. */
export function isHeavy({ query, categories, groupCloudId, provider, accountId, states }: ListFiles): boolean {
  return [query, categories, groupCloudId, provider, accountId, states].some((filter) => filter !== undefined)
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

  const source = sourceOf(options, bind)
  const scan = (conditions: readonly string[]) =>
    `${source.with}select ${FILE_COLUMNS}, f.sort_key from ${source.from} f
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

/** `where` of everything that a list shows, of the table alias `f`; `$1` is the user. */
export function selectionSql(viewer: Viewer, selected: SelectedFiles): Statement {
  const values: unknown[] = [viewer.userId]
  const bind = (value: unknown) => `$${values.push(value)}`
  const options = { ...selected, limit: 0 }
  const scope = isFolderListing(options) ? folderScope(options.parentId ?? ROOT, bind) : flatScope(options)
  const source = sourceOf(options, bind)
  const found = source.with ? [`f.id in (${source.with} select id from found)`] : []
  const conditions = ['f.user_id = $1', 'f.purged_at is null', ...scope, ...filtersOf(options, bind), ...found]
  return { text: conditions.join(' and '), values }
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

function placeSql({ column, type, direction }: Order, { key, id }: Place, bind: Bind): string {
  return `(f.${column}, f.id) ${direction === 'asc' ? '>' : '<'} (${bind(key)}::${type}, ${bind(id)}::uuid)`
}

/** What stands in a folder. That it is the viewer's and alive is asked once per statement, not per row. */
function folderScope(parentId: string, bind: Bind): string[] {
  const parent = bind(parentId)
  const scope = [`coalesce(f.parent_id, '${ROOT}') = ${parent}::uuid`, 'f.trashed_at is null']
  if (parentId === ROOT) return scope
  return [...scope, `exists (${LIVE_FOLDER.replace('$2', parent)})`]
}

const LIVE_FOLDER = `select from files p where p.id = $2::uuid and p.user_id = $1 and p.kind = 'FOLDER'
  and p.trashed_at is null and p.trash_root_id is null and p.purged_at is null and p.id <> all(array(${UNSETTLED}))`

function flatScope({ view }: ListFiles, of = 'f.'): string[] {
  if (view === 'TRASH') return [`${of}trashed_at is not null`]
  const scope = [
    `${of}trash_root_id is null`,
    // A folder that was trashed or deleted just now, whose entries are not all marked yet.
    `(${of}parent_id is null or ${of}parent_id <> all(array(${UNSETTLED})))`,
  ]
  if (view === 'STARRED') scope.push(`${of}starred`)
  if (view === 'SHARED') scope.push(`${of}share_count > 0`)
  return scope
}

function filtersOf(options: ListFiles, bind: Bind): string[] {
  const filters: string[] = []
  const query = wantedKey(options.query)
  if (query) filters.push(...matching(query, 'f.search_key', bind))
  if (options.categories) filters.push(`f.category = any(${bind(options.categories)}::"FileCategory"[])`)
  if (options.groupCloudId) filters.push(`f.group_cloud_id = ${bind(options.groupCloudId)}`)
  if (options.provider) filters.push(heldBy(`a.provider = ${bind(storable(options.provider))}`))
  if (options.accountId) filters.push(heldBy(`a.id = ${bind(options.accountId)}`))
  if (options.states) filters.push(stateFilter(options.states, bind))
  if (options.createdUntil) filters.push(`f.created_at <= ${bind(options.createdUntil)}`)
  if (options.trashedFrom) filters.push(`f.trashed_at >= ${bind(options.trashedFrom)}`)
  if (options.trashedUntil) filters.push(`f.trashed_at <= ${bind(options.trashedUntil)}`)
  if (options.exceptIds?.length) filters.push(`f.id <> all(${bind(options.exceptIds)}::uuid[])`)
  return filters
}

/** As `storedIn` tells it. */
function heldBy(account: string): string {
  return `exists (select from copies c join pieces p on p.copy_id = c.id join accounts a on a.id = p.account_id
    where c.file_id = f.id and c.state <> 'MISSING' and a.disconnected_at is null and ${account})`
}

/** Folders are in no state. What is at risk alone is read from its own index, for which the state must stand in the statement. */
function stateFilter(states: readonly FileState[], bind: Bind): string {
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
