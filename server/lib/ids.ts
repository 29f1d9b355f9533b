import { randomUUID } from 'node:crypto'

/**
 * Ids are UUIDv7 (RFC 9562 5.7) in the database and `<noun>_<32 hex>` at both doors: the same text names a thing in REST
 * and in GraphQL, and tells a reader what it is.
 */
const PREFIX = {
  User: 'user',
  Account: 'acct',
  GroupCloud: 'pool',
  File: 'file',
  Copy: 'copy',
  Upload: 'upl',
  Transfer: 'xfer',
} as const

export type IdType = keyof typeof PREFIX

const TYPE_OF = new Map<string, IdType>(Object.entries(PREFIX).map(([type, prefix]) => [prefix, type as IdType]))

/** A new id, time-ordered: later ids compare greater, which keeps index inserts at one edge. */
export function newId(now: number = Date.now()): string {
  const time = now.toString(16).padStart(12, '0')
  // All but the time and the version is as in a version 4, whose random bytes Node fetches many at once.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

/** The public form of a database id. */
export function publicId(type: IdType, id: string): string {
  return `${PREFIX[type]}_${id.replaceAll('-', '')}`
}

/** The type and database id of a public id; null for anything that is not one. Never throws. */
export function parsePublicId(text: string): { type: IdType; id: string } | null {
  const match = /^([a-z]+)_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(text)
  const type = match?.[1] === undefined ? undefined : TYPE_OF.get(match[1])
  return match && type ? { type, id: match.slice(2).join('-') } : null
}
