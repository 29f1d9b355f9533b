import type pg from 'pg'
import { createFairSemaphore, type FairSemaphore } from '../../../lib/concurrency.ts'
import { isoTime } from '../../../lib/format.ts'
import { InvalidInputError, NotFoundError, TooManyRequestsError } from '../../errors.ts'
import type { Viewer } from '../../viewer.ts'
import type { File, FileKind, FilePage, FileSort, FileState, FileView, ListFiles, SelectedFiles } from '../contract.ts'
import { FILE_COLUMNS, type FileRow, ROOT, toFile } from './entries.ts'
import { searchKey } from './names.ts'
import { UNSETTLED } from './trash.ts'

type ListedRow = FileRow & { readonly sort_key: string }

const LISTED = `${FILE_COLUMNS}, f.sort_key`

export type Statement = { readonly name?: string; readonly text: string; readonly values: unknown[] }

/** Keyset pagination: an index scan that ends with the page, independent of the rows before and after it. */
export async function listFiles(
  pool: pg.Pool,
  viewer: Viewer,
  options: ListFiles,
  ownsMost = false,
): Promise<FilePage> {
  const order = orderOf(options, isFolderListing(options) && options.foldersFirst !== false)
  const until = options.until === undefined ? null : placeOf(order, options.until, 'until')
  const { rows } = await pool.query<ListedRow>(listStatement(viewer, options, order, ownsMost))
  if (rows.length === 0) await refuseHiddenFolder(pool, viewer, options)

  const found = inOrder(rows, options, order)
  const within = until ? found.filter((row) => !standsAfter(order, row, until)) : found
  const items = within.slice(0, options.limit).map((row) => new Listed(row, order))
  return { items, hasNextPage: found.length > items.length }
}

/** An entry of a page. Its cursor is made when it is read: of most pages that is only the last one. */
class Listed {
  readonly file: File
  readonly #row: ListedRow
  readonly #order: Order

  constructor(row: ListedRow, order: Order) {
    this.file = toFile(row)
    this.#row = row
    this.#order = order
  }

  get cursor(): string {
    return cursorOf(this.#order, this.#row)
  }
}

/** `accountId`: the account that it is in, if that is known. */
export type OpenedFolder = {
  readonly userId: string
  readonly folderId: string
  readonly accountId?: string | null | undefined
}

/** The folder whose first page was listed, unless it is known to be one of Skypool's own. */
export function openedFolder(options: ListFiles, { items }: FilePage): Omit<OpenedFolder, 'userId'> | null {
  const { parentId, after } = options
  if (!isFolderListing(options) || !parentId || after !== undefined) return null
  const accountId = items[0]?.file.accountId
  return accountId === null ? null : { folderId: parentId, accountId }
}

/** A search covers the whole view, so only DRIVE without a query is listed by folder. */
function isFolderListing({ view, query }: ListFiles): boolean {
  return view === 'DRIVE' && !wantedKey(query)
}

/**
 * The entries that an account has itself are a separate index scan: together with the files that have copies there, an index could
 * be used for neither. The rows of both are merged afterwards.
 */
function isSplitByHome(options: ListFiles): boolean {
  return options.accountId !== undefined && !isFolderListing(options)
}

/**
 * Rows read for a search of one or two letters: names that begin with them, and the most recently changed or trashed
 * entries.
 */
const MOST_BEGINNING = 3_000
const MOST_RECENT = 2_000

/**
 * The rows to read. The trigram index has no entries for one or two letters: they are searched at the beginning of all
 * names, with a separate index, and anywhere in the most recently changed names, limited so that the query is fast.
 */
function sourceOf(options: ListFiles, bind: Bind): { readonly with: string; readonly from: string } {
  const query = wantedKey(options.query)
  if (!isShort(query)) return { with: '', from: 'files' }
  // Without the check for folders that are being deleted, which the page makes: here it would read all of a large one.
  const scope = ['user_id = $1', 'purged_at is null', ...viewScope(options, '')].join(' and ')
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

/** More entries in one page take so long to serialize that other users would wait for several such pages at once. */
const LARGE_PAGE = 100

/** Whether a page takes long: a search, a filter without an index, or many entries. */
export function isHeavy(options: ListFiles): boolean {
  const { query, categories, groupCloudId, provider, accountId, states, home, minSize, maxSize, tagId, limit } = options
  const times = [options.modifiedAfter, options.modifiedBefore]
  const filters = [
    query,
    categories,
    groupCloudId,
    provider,
    accountId,
    states,
    home,
    minSize,
    maxSize,
    tagId,
    ...times,
  ]
  return limit > LARGE_PAGE || filters.some((filter) => filter !== undefined)
}

/** Whether the trigram index is read for it: listFiles needs to know whether the viewer owns most entries (LargeOwners). */
export function isIndexedSearch({ query }: ListFiles): boolean {
  return wantedKey(query).length >= SHORTEST_INDEXED
}

/**
 * The query of a page: one row more than requested shows whether there is another page. Exported for the tests of its
 * plan.
 * @param ownsMost The trigram index begins with the user, whose list of entries is read completely for a search. For a user with most of
 * the entries that takes several times as long as to look for the text among the entries of all users, so their condition is
 * one that only the indexes in the order of a list can use.
 */
export function listStatement(viewer: Viewer, options: ListFiles, order: Order, ownsMost = false): Statement {
  const after = options.after === undefined ? null : placeOf(order, options.after, 'after')
  const values: unknown[] = [viewer.userId]
  const bind = (value: unknown) => `$${values.push(value)}`
  const limit = bind(options.limit + 1)
  const isFolder = isFolderListing(options)
  const isSplit = isSplitByHome(options)
  const filters = filtersOf(isSplit ? { ...options, accountId: undefined } : options, bind)
  const account = isSplit ? bind(options.accountId) : ''
  const scope = [...(isFolder ? folderScope(options.parentId ?? ROOT, bind) : flatScope(options)), ...photosOf(options)]
  const place = after && { kind: after.kind, sql: placeSql(order, after, bind) }

  const source = sourceOf(options, bind)
  const isAmongAll = ownsMost && isIndexedSearch(options)
  const mine = isAmongAll ? 'f.user_id = any(array[$1]::uuid[])' : 'f.user_id = $1'
  const owner = isAmongAll ? `f.user_id ${order.direction}, ` : ''
  const rowsOf = (columns: string, conditions: readonly string[]) =>
    `${source.with}select ${columns} from ${source.from} f
     where ${[mine, 'f.purged_at is null', ...scope, ...filters, ...conditions].join(' and ')}
     order by ${owner}${order.column} ${order.direction}, f.id ${order.direction} limit ${limit}`
  const afterPlace = place ? [place.sql] : []
  // Of several scans, the columns are computed once for the rows of all: to begin with each of them takes time.
  const columnsOf = (scans: string) => `select ${LISTED} from (${scans}) f`
  const text =
    isFolder && options.sort?.field !== 'TAKEN'
      ? columnsOf(byKind((conditions) => rowsOf('*', conditions), place, order.foldersFirst))
      : isSplit
        ? columnsOf(
            [`f.account_id = ${account}::uuid`, `f.account_id is null and ${copiedTo(`a.id = ${account}`)}`]
              .map((condition) => `(${rowsOf('*', [...afterPlace, condition])})`)
              .join(' union all '),
          )
        : rowsOf(LISTED, afterPlace)
  // Filters and searches are not prepared: the plan depends on how many rows their values match.
  if (filters.length > 0 || isSplit) return { text, values }
  return {
    name: `files ${order.list}${isFolder ? '' : ' flat'} ${options.parentId ? 'folder' : 'root'} ${after?.kind ?? ''}`,
    text,
    values,
  }
}

/** The `where` condition for everything that a list shows, for the table alias `f`; `$1` is the user. */
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

/** The conditions of a flat list, for the table alias `f`, without those of owner and order; `$1` is the user. */
export function listConditions(options: Omit<SelectedFiles, 'parentId' | 'query'>, bind: Bind): string[] {
  const list = { ...options, limit: 0 }
  return [...flatScope(list), ...filtersOf(list, bind)]
}

/**
 * Folders and files are two scans of one index. With folders first, the first scan is omitted for a cursor after the
 * folders; otherwise both start at the cursor and their rows are merged afterwards.
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
  if (!isFolderListing(options) && !isSplitByHome(options)) return rows
  return rows.toSorted((a, b) => (standsAfter(order, a, placeOfRow(order, b)) ? 1 : -1))
}

function foldersBeforeFiles(rows: readonly ListedRow[]): ListedRow[] {
  return [...rows.filter((row) => row.kind === 'FOLDER'), ...rows.filter((row) => row.kind === 'FILE')]
}

/** As literals, for the partial indexes. */
function photosOf({ sort }: ListFiles): string[] {
  return sort?.field === 'TAKEN' ? [`f.category in ('IMAGE', 'VIDEO')`] : []
}

/** The entries of a folder. That the folder is live and the viewer's is checked once per statement, not per row. */
function folderScope(parentId: string, bind: Bind): string[] {
  const parent = bind(parentId)
  const scope = [`coalesce(f.parent_id, '${ROOT}') = ${parent}::uuid`, 'f.trashed_at is null']
  // The hidden folders of protecting copies.
  if (parentId === ROOT) return [...scope, 'f.protected_account_id is null']
  return [...scope, `exists (${LIVE_FOLDER.replace('$2', parent)})`]
}

const LIVE_FOLDER = `select from files p where p.id = $2::uuid and p.user_id = $1 and p.kind = 'FOLDER'
  and p.trashed_at is null and p.trash_root_id is null and p.purged_at is null and p.id <> all(array(${UNSETTLED}))`

function flatScope(options: ListFiles): string[] {
  if (options.view === 'TRASH') return viewScope(options, 'f.')
  // Entries of a folder that was trashed or deleted a moment ago may not be marked yet. Not `parent_id <> all(...)`: with one
  // large folder the planner expects that to match no row, and sorts all files for a page; of a coalesce it expects half.
  return [...viewScope(options, 'f.'), `not coalesce(f.parent_id = any(array(${UNSETTLED})), false)`]
}

/** The conditions of a view on the rows themselves. `alias` is `f.` or empty. */
function viewScope({ view }: ListFiles, alias: string): string[] {
  if (view === 'TRASH') return [`${alias}trashed_at is not null`]
  const scope = [`${alias}trash_root_id is null`]
  if (view === 'STARRED') scope.push(`${alias}starred`)
  if (view === 'SHARED') scope.push(`${alias}share_count > 0`)
  return scope
}

function filtersOf(options: ListFiles, bind: Bind): string[] {
  const filters: string[] = []
  const query = wantedKey(options.query)
  if (query) filters.push(...matching(query, 'f.search_key', bind))
  if (options.categories) filters.push(`f.category = any(${bind(options.categories)}::"FileCategory"[])`)
  if (options.groupCloudId) filters.push(`f.group_cloud_id = ${bind(options.groupCloudId)}`)
  if (options.provider) filters.push(heldBy(`a.provider = ${bind(storable(options.provider))}`))
  if (options.accountId) {
    const account = bind(options.accountId)
    filters.push(`(f.account_id = ${account}::uuid or ${copiedTo(`a.id = ${account}`)})`)
  }
  if (options.home) filters.push(`f.account_id is ${options.home === 'POOL' ? '' : 'not '}null`)
  if (options.tagId) filters.push(taggedWith(bind(options.tagId)))
  if (options.minSize !== undefined || options.maxSize !== undefined) filters.push("f.kind = 'FILE'", 'not f.native')
  if (options.minSize !== undefined) filters.push(`f.size >= ${bind(options.minSize)}`)
  if (options.maxSize !== undefined) filters.push(`f.size <= ${bind(options.maxSize)}`)
  if (options.modifiedAfter) filters.push(`f.updated_at >= ${bind(options.modifiedAfter)}`)
  if (options.modifiedBefore) filters.push(`f.updated_at < ${bind(options.modifiedBefore)}`)
  if (options.states) filters.push(stateFilter(options.states, bind))
  if (options.createdUntil) filters.push(`f.created_at <= ${bind(options.createdUntil)}`)
  if (options.trashedFrom) filters.push(`f.trashed_at >= ${bind(options.trashedFrom)}`)
  if (options.trashedUntil) filters.push(`f.trashed_at <= ${bind(options.trashedUntil)}`)
  if (options.exceptIds?.length) filters.push(`f.id <> all(${bind(options.exceptIds)}::uuid[])`)
  return filters
}

/** Files with bytes on such an account, by the same definition as `storedIn`, and entries that it has under its own name. */
function heldBy(account: string): string {
  return `(${copiedTo(account)}
    or f.account_id is not null and exists (select from accounts a where a.id = f.account_id and ${account}))`
}

/** `$1` is the user. */
function taggedWith(tag: string): string {
  return `f.id in (select ft.file_id from file_tags ft join tags t on t.id = ft.tag_id
    where t.id = ${tag}::uuid and t.user_id = $1)`
}

function copiedTo(account: string): string {
  return `exists (select from copies c join pieces p on p.copy_id = c.id join accounts a on a.id = p.account_id
    where c.file_id = f.id and c.state <> 'MISSING' and a.disconnected_at is null and ${account})`
}

/** Folders have no state. AT_RISK alone has a partial index, for which the state must be a literal in the statement. */
function stateFilter(states: readonly FileState[], bind: Bind): string {
  const wanted = states.every((state) => state === 'AT_RISK') && states.length > 0
  return `f.kind = 'FILE' and f.state ${wanted ? "= 'AT_RISK'" : `= any(${bind(states)}::"FileState"[])`}`
}

/** An empty page of a folder may mean that the folder does not exist. @throws NotFoundError */
async function refuseHiddenFolder(pool: pg.Pool, viewer: Viewer, options: ListFiles): Promise<void> {
  if (!isFolderListing(options) || !options.parentId) return
  const { rowCount } = await pool.query({
    name: 'files live folder',
    text: LIVE_FOLDER,
    values: [viewer.userId, options.parentId],
  })
  if (rowCount === 0) throw new NotFoundError('There is no such folder. It may have been deleted.')
}

/** The maximum length of a name. */
const MOST_CHARACTERS = 255
/** The trigrams of this many characters match few rows already; each further one costs another index list. */
const INDEXED = 32
/** Shorter texts have no trigram. */
const SHORTEST_INDEXED = 3

/** Removes characters that no name contains; PostgreSQL refuses some of them. */
function storable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}]/gu, '')
}

/**
 * The text to search for in search keys; empty: no search.
 * @throws InvalidInputError for a text longer than any name
 */
export function wantedKey(query: string | undefined): string {
  const text = storable(query ?? '').trim()
  if (text.length <= MOST_CHARACTERS) return searchKey(text)
  const message = `Please search for at most ${MOST_CHARACTERS} characters.`
  throw new InvalidInputError([{ path: 'query', message }])
}

/** Whether it is too short for the trigram index. */
export function isShort(key: string): boolean {
  return key.length > 0 && key.length < SHORTEST_INDEXED
}

/**
 * Endings that a large part of all names have, after a name of some length and its dot. Their trigrams hardly narrow a search: in a million
 * names, to read their lists takes longer than all others together.
 */
const COMMON_ENDING = /^(.{3,}\.)(?:jpe?g|png|heic|mp4|mov|mp3|pdf|docx|xlsx|pptx|txt)$/

/** SQL conditions: `column` contains the key. */
export function matching(key: string, column: string, bind: (value: unknown) => string): string[] {
  const narrowing = COMMON_ENDING.exec(key)?.[1] ?? key
  const head = narrowing.slice(0, INDEXED).replace(/[\\%_]/g, '\\$&')
  const found = `${column} like ${bind(`%${head}%`)}`
  return key.length > Math.min(narrowing.length, INDEXED) ? [found, `strpos(${column}, ${bind(key)}) > 0`] : [found]
}

/**
 * Limits for concurrent heavy reads: some connections stay free for fast queries, and some of the heavy ones for other
 * users.
 */
const HEAVY_READS = { limit: 6, perOwner: 2, maxWaiting: 100 }

/** Queues searches per user; a user with too many waiting is refused at once. */
export function createReadTurns(): FairSemaphore {
  return createFairSemaphore({ ...HEAVY_READS, createError: () => new TooManyRequestsError(1) })
}

/** A position in one list: the values of its sort columns. `key` is text, an ISO time or a size in digits. */
export type Place = { readonly kind: FileKind; readonly key: string; readonly id: string }

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Opaque to clients. `list` names view and order, so that a cursor of another list is recognized. */
function encodeCursor(list: string, { kind, key, id }: Place): string {
  // As JSON.stringify of the array would write it, in two thirds of the time: only the key needs to be escaped.
  return Buffer.from(`["${list}","${kind}",${JSON.stringify(key)},"${id}"]`).toString('base64url')
}

/** @throws InvalidInputError at `path` for a text that is not a cursor of this list */
function decodeCursor(list: string, cursor: string, path: 'after' | 'until', isKey: (key: string) => boolean): Place {
  const place = parse(list, cursor)
  if (place && isKey(place.key)) return place
  const message = 'This cursor does not belong to this list. Please read the list from its beginning.'
  throw new InvalidInputError([{ path, message }])
}

function parse(list: string, cursor: string): Place | null {
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return null
  }
  if (!Array.isArray(parts) || parts.length !== 4 || parts[0] !== list) return null
  const [, kind, key, id] = parts as unknown[]
  if ((kind !== 'FILE' && kind !== 'FOLDER') || typeof key !== 'string' || typeof id !== 'string') return null
  return ID.test(id) && !key.includes('\0') ? { kind, key, id } : null
}

/** The order of one list. Ids break ties, so that no two rows have the same position. */
export type Order = {
  /** View and order, as encoded in cursors. */
  readonly list: string
  /** SQL, for the table alias `f`. */
  readonly column: string
  /** SQL type of the column, for parameters. */
  readonly type: string
  readonly direction: 'asc' | 'desc'
  /** Folders come before files, in both directions. */
  readonly foldersFirst: boolean
  readonly keyOf: (row: FileRow & { sort_key: string }) => string
  readonly isKey: (key: string) => boolean
}

type Column = Pick<Order, 'column' | 'type' | 'keyOf' | 'isKey'>

const isTime = (key: string) => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(key) && !Number.isNaN(Date.parse(key))

const COLUMNS: Readonly<Record<FileSort['field'] | 'TRASHED', Column>> = {
  NAME: { column: 'f.sort_key', type: 'text', keyOf: (row) => row.sort_key, isKey: () => true },
  MODIFIED: { column: 'f.updated_at', type: 'timestamptz', keyOf: (row) => isoTime(row.updated_at), isKey: isTime },
  SIZE: { column: 'f.size', type: 'bigint', keyOf: (row) => String(row.size), isKey: (key) => /^\d{1,16}$/.test(key) },
  TAKEN: {
    column: 'coalesce(f.taken_at, f.updated_at)',
    type: 'timestamptz',
    keyOf: (row) => isoTime(row.taken_at ?? row.updated_at),
    isKey: isTime,
  },
  TRASHED: {
    column: 'f.trashed_at',
    type: 'timestamptz',
    keyOf: (row) => (row.trashed_at ? isoTime(row.trashed_at) : ''),
    isKey: isTime,
  },
}

const DEFAULTS: Readonly<Record<FileView, readonly [keyof typeof COLUMNS, FileSort['direction']]>> = {
  DRIVE: ['NAME', 'ASC'],
  ALL: ['MODIFIED', 'DESC'],
  SHARED: ['MODIFIED', 'DESC'],
  STARRED: ['MODIFIED', 'DESC'],
  TRASH: ['TRASHED', 'DESC'],
}

export function orderOf({ view, sort }: ListFiles, foldersFirst: boolean): Order {
  const [field, direction] = sort ? [sort.field, sort.direction] : DEFAULTS[view]
  const list = `${view}${foldersFirst ? '' : '*'}/${field}/${direction}`
  return { ...COLUMNS[field], list, direction: direction === 'ASC' ? 'asc' : 'desc', foldersFirst }
}

export function cursorOf(order: Order, row: FileRow & { sort_key: string }): string {
  return encodeCursor(order.list, placeOfRow(order, row))
}

function placeOfRow(order: Order, row: FileRow & { sort_key: string }): Place {
  return { kind: row.kind, key: order.keyOf(row), id: row.id }
}

/** @throws InvalidInputError at `path` for a cursor of another list */
export function placeOf(order: Order, cursor: string, path: 'after' | 'until'): Place {
  return decodeCursor(order.list, cursor, path, order.isKey)
}

/** Adds a value to a statement. @returns its parameter */
type Bind = (value: unknown) => string

/** The condition for rows after a place. */
export function placeSql({ column, type, direction }: Order, { key, id }: Place, bind: Bind): string {
  return `(${column}, f.id) ${direction === 'asc' ? '>' : '<'} (${bind(key)}::${type}, ${bind(id)}::uuid)`
}

/** Whether `row` comes after `place`: the same comparison as PostgreSQL's, which is byte-wise for names. */
function standsAfter(order: Order, row: FileRow & { sort_key: string }, place: Place): boolean {
  if (order.foldersFirst && row.kind !== place.kind) return row.kind === 'FILE'
  const byKey = compareKeys(order, order.keyOf(row), place.key)
  const after = byKey === 0 ? Buffer.compare(Buffer.from(row.id), Buffer.from(place.id)) : byKey
  return order.direction === 'asc' ? after > 0 : after < 0
}

function compareKeys(order: Order, one: string, other: string): number {
  return order.column === 'f.size' ? Number(one) - Number(other) : Buffer.compare(Buffer.from(one), Buffer.from(other))
}

/** Users who own a large part of all entries, as most do on a server of one household. */
export type LargeOwners = {
  /** By statistics that are at most ten minutes older than PostgreSQL's own. */
  includes(userId: string): Promise<boolean>
}

const LARGE_PART = 0.25
const REFRESH_MS = 600_000

// The statistics name the most frequent values of a column; without any yet, there is no row. Before PostgreSQL 17, a list in its order could
// not be read with the condition that listStatement has for these users.
const FREQUENT = `select value, frequency from pg_stats s,
    unnest(s.most_common_vals::text::text[], s.most_common_freqs) as frequent (value, frequency)
  where s.schemaname = current_schema() and s.tablename = 'files' and s.attname = 'user_id'
    and current_setting('server_version_num')::int >= 170000`

/** @param now the present time in ms */
export function createLargeOwners(pool: pg.Pool, now: () => number = Date.now): LargeOwners {
  let owners: Promise<ReadonlySet<string>> | null = null
  let readAt = 0

  async function read(): Promise<ReadonlySet<string>> {
    const { rows } = await pool.query<{ value: string; frequency: number }>({
      name: 'files large owners',
      text: FREQUENT,
    })
    return new Set(rows.flatMap(({ value, frequency }) => (frequency >= LARGE_PART ? [value] : [])))
  }

  return {
    async includes(userId) {
      if (owners === null || now() - readAt >= REFRESH_MS) {
        readAt = now()
        owners = read()
        owners.catch(() => {
          owners = null
        })
      }
      return (await owners).has(userId)
    },
  }
}
