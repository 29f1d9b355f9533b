import { randomBytes, randomUUID } from 'node:crypto'

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
  Share: 'share',
  ApiKey: 'key',
  Session: 'sess',
  Activity: 'act',
  TelegramAccount: 'tg',
  Invitation: 'inv',
} as const

export type IdType = keyof typeof PREFIX

/**
 * A GraphQL client keeps what it has read by its id, so what visitors of a link see must not have the id of what its owner sees.
 * They are taken wherever the ids of those things are.
 */
const SEEN_BY_VISITORS = {
  PublicShare: { prefix: 'link', of: 'Share' },
  SharedFile: { prefix: 'entry', of: 'File' },
  SharedFolder: { prefix: 'crumb', of: 'File' },
} as const satisfies Record<string, { prefix: string; of: IdType }>

export type VisitorIdType = keyof typeof SEEN_BY_VISITORS

const TYPE_OF = new Map<string, IdType>([
  ...Object.entries(PREFIX).map(([type, prefix]) => [prefix, type as IdType] as const),
  ...Object.values(SEEN_BY_VISITORS).map(({ prefix, of }) => [prefix, of] as const),
])

/** The millisecond of the latest id, and its place among those of that millisecond. */
const latest = { ms: 0, count: 0 }
const MOST_COUNT = 0xfff

/**
 * A new id (UUIDv7), time-ordered: later ids compare greater, which keeps index inserts at one edge. Those that a process makes
 * in one millisecond are in order too (RFC 9562, 6.2, method 1), unless they are thousands.
 */
export function newId(now: number = Date.now()): string {
  const time = now.toString(16).padStart(12, '0')
  // All but the time, the version and the count is as in a version 4, whose random bytes Node fetches many at once.
  const random = randomUUID()
  return `${time.slice(0, 8)}-${time.slice(8)}-7${countOf(now, random.slice(15, 18))}${random.slice(18)}`
}

function countOf(ms: number, random: string): string {
  if (ms === latest.ms && latest.count < MOST_COUNT) latest.count += 1
  // Half of the numbers are left for those that follow.
  else Object.assign(latest, { ms, count: Number.parseInt(random, 16) >> 1 })
  return latest.count.toString(16).padStart(3, '0')
}

/** An id that opens what it names: 128 bits from the system's generator, no part of them a time. */
export function newSecretId(): string {
  return randomBytes(16)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** The public form of a database id. */
export function publicId(type: IdType, id: string): string {
  return `${PREFIX[type]}_${id.replaceAll('-', '')}`
}

/** The GraphQL id of what a visitor of a link sees. */
export function visitorId(type: VisitorIdType, id: string): string {
  return `${SEEN_BY_VISITORS[type].prefix}_${id.replaceAll('-', '')}`
}

/** The type and database id of a public id; null for anything that is not one. Never throws. */
export function parsePublicId(text: string): { type: IdType; id: string } | null {
  const match = /^([a-z]+)_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(text)
  const type = match?.[1] === undefined ? undefined : TYPE_OF.get(match[1])
  return match && type ? { type, id: match.slice(2).join('-') } : null
}
