import { isoTime } from '../../../lib/format.ts'
import { InvalidInputError } from '../../errors.ts'
import type { FileKind, FileSort, FileView, ListFiles } from '../contract.ts'
import type { FileRow } from './entries.ts'

/** A position in one list: the values of its sort columns. `key` is text, an ISO time or a size in digits. */
export type Place = { readonly kind: FileKind; readonly key: string; readonly id: string }

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Opaque to clients. `list` names view and order, so that a cursor of another list is recognized. */
function encodeCursor(list: string, { kind, key, id }: Place): string {
  return Buffer.from(JSON.stringify([list, kind, key, id])).toString('base64url')
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

export function placeOfRow(order: Order, row: FileRow & { sort_key: string }): Place {
  return { kind: row.kind, key: order.keyOf(row), id: row.id }
}

/** @throws InvalidInputError at `path` for a cursor of another list */
export function placeOf(order: Order, cursor: string, path: 'after' | 'until'): Place {
  return decodeCursor(order.list, cursor, path, order.isKey)
}

/** Adds a value to a statement. @returns its parameter */
export type Bind = (value: unknown) => string

/** The condition for rows after a place. */
export function placeSql({ column, type, direction }: Order, { key, id }: Place, bind: Bind): string {
  return `(${column}, f.id) ${direction === 'asc' ? '>' : '<'} (${bind(key)}::${type}, ${bind(id)}::uuid)`
}

/** Whether `row` comes after `place`: the same comparison as PostgreSQL's, which is byte-wise for names. */
export function standsAfter(order: Order, row: FileRow & { sort_key: string }, place: Place): boolean {
  if (order.foldersFirst && row.kind !== place.kind) return row.kind === 'FILE'
  const byKey = compareKeys(order, order.keyOf(row), place.key)
  const after = byKey === 0 ? Buffer.compare(Buffer.from(row.id), Buffer.from(place.id)) : byKey
  return order.direction === 'asc' ? after > 0 : after < 0
}

function compareKeys(order: Order, one: string, other: string): number {
  return order.column === 'f.size' ? Number(one) - Number(other) : Buffer.compare(Buffer.from(one), Buffer.from(other))
}
