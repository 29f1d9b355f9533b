import { InvalidInputError } from './errors.ts'

/** A position in a list ordered by time and id. */
export type Place = { readonly at: string; readonly id: string }

export type TimeCursor = {
  /** Opaque to clients. */
  encode(place: { readonly at: Date; readonly id: string }): string
  /** @throws InvalidInputError at `after` for what is not a cursor of this list */
  decode(cursor: string): Place
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Cursors of one list; cursors of other lists are refused. */
export function timeCursor(list: string): TimeCursor {
  return {
    encode: ({ at, id }) => Buffer.from(JSON.stringify([list, at.toISOString(), id])).toString('base64url'),
    decode(cursor) {
      const place = parse(list, cursor)
      if (place) return place
      const message = 'This cursor does not belong to this list. Please read the list from its beginning.'
      throw new InvalidInputError([{ path: 'after', message }])
    },
  }
}

function parse(list: string, cursor: string): Place | null {
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return null
  }
  if (!Array.isArray(parts) || parts.length !== 3 || parts[0] !== list) return null
  const [, at, id] = parts as unknown[]
  if (typeof at !== 'string' || typeof id !== 'string') return null
  return TIME.test(at) && !Number.isNaN(Date.parse(at)) && ID.test(id) ? { at, id } : null
}
