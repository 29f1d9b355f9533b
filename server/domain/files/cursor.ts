import { InvalidInputError } from '../errors.ts'
import type { FileKind } from '../services.ts'

/** A place in one list: the values that its order goes by. `key` is text, an ISO time or a size in digits. */
export type Place = { readonly kind: FileKind; readonly key: string; readonly id: string }

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Opaque to clients. `list` names view and order, so that a cursor of another list is told apart. */
export function encodeCursor(list: string, { kind, key, id }: Place): string {
  return Buffer.from(JSON.stringify([list, kind, key, id])).toString('base64url')
}

/** @throws InvalidInputError at `path` for what is not a cursor of this list */
export function decodeCursor(
  list: string,
  cursor: string,
  path: 'after' | 'until',
  isKey: (key: string) => boolean,
): Place {
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
