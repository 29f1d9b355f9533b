import { InvalidInputError } from '../errors.ts'

/** A place in the log: when, and which of those of that moment. */
export type Place = { readonly at: string; readonly id: string }

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Opaque to clients. */
export function encodeCursor({ at, id }: Place): string {
  return Buffer.from(JSON.stringify(['activity', at, id])).toString('base64url')
}

/** @throws InvalidInputError at `after` for what is not a cursor of the log */
export function decodeCursor(cursor: string): Place {
  const place = parse(cursor)
  if (place) return place
  const message = 'This cursor does not belong to this list. Please read the list from its beginning.'
  throw new InvalidInputError([{ path: 'after', message }])
}

function parse(cursor: string): Place | null {
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return null
  }
  if (!Array.isArray(parts) || parts.length !== 3 || parts[0] !== 'activity') return null
  const [, at, id] = parts as unknown[]
  if (typeof at !== 'string' || typeof id !== 'string') return null
  return TIME.test(at) && !Number.isNaN(Date.parse(at)) && ID.test(id) ? { at, id } : null
}
