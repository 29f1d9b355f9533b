import { randomBytes, randomUUID } from 'node:crypto'

/**
 * Ids are UUIDv7 (RFC 9562 5.7) in the database and `<type>_<32 hex>` in REST and GraphQL: the same id in both, and its type is
 * visible.
 */
const PREFIX = {
  User: 'user',
  Account: 'acct',
  GroupCloud: 'pool',
  File: 'file',
  Copy: 'copy',
  Upload: 'upl',
  Transfer: 'xfer',
  Job: 'job',
  Share: 'share',
  UploadLink: 'drop',
  LinkUpload: 'sent',
  Tag: 'tag',
  ApiKey: 'key',
  Session: 'sess',
  Activity: 'act',
  TelegramAccount: 'tg',
  Invitation: 'inv',
  DuplicateGroup: 'dup',
  DuplicateComparison: 'cmp',
  EarlierVersion: 'prev',
  FileVersion: 'ver',
} as const

export type IdType = keyof typeof PREFIX

/**
 * Prefixes of the GraphQL ids that visitors of a link see. GraphQL clients cache by id, so these must differ from the ids of the
 * same objects as their owner sees them. They are accepted wherever the owner's ids are.
 */
const VISITOR_PREFIX = {
  PublicShare: { prefix: 'link', of: 'Share' },
  SharedFile: { prefix: 'entry', of: 'File' },
  SharedFolder: { prefix: 'crumb', of: 'File' },
} as const satisfies Record<string, { prefix: string; of: IdType }>

export type VisitorIdType = keyof typeof VISITOR_PREFIX

const TYPE_OF = new Map<string, IdType>([
  ...Object.entries(PREFIX).map(([type, prefix]) => [prefix, type as IdType] as const),
  ...Object.values(VISITOR_PREFIX).map(({ prefix, of }) => [prefix, of] as const),
])

/** Millisecond of the latest id, and its counter within that millisecond. */
const latest = { ms: 0, count: 0 }
const MAX_COUNT = 0xfff

/**
 * A new id (UUIDv7), time-ordered: later ids compare greater, which keeps index inserts at one edge. Ids that a process creates
 * within one millisecond are ordered too (RFC 9562, 6.2, method 1), up to thousands of them.
 */
export function newId(now: number = Date.now()): string {
  const time = now.toString(16).padStart(12, '0')
  // The random part comes from a version 4 UUID, for which Node fetches random bytes in bulk.
  const random = randomUUID()
  return `${time.slice(0, 8)}-${time.slice(8)}-7${countOf(now, random.slice(15, 18))}${random.slice(18)}`
}

function countOf(ms: number, random: string): string {
  if (ms === latest.ms && latest.count < MAX_COUNT) latest.count += 1
  // The upper half of the range is left for later ids of the same millisecond.
  else Object.assign(latest, { ms, count: Number.parseInt(random, 16) >> 1 })
  return latest.count.toString(16).padStart(3, '0')
}

/** An id that grants access: 128 bits from the system's random generator, without a timestamp. */
export function newSecretId(): string {
  return randomBytes(16)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** The public form of a database id. */
export function publicId(type: IdType, id: string): string {
  return `${PREFIX[type]}_${id.replaceAll('-', '')}`
}

/** The GraphQL id of an object as visitors of a link see it. */
export function visitorId(type: VisitorIdType, id: string): string {
  return `${VISITOR_PREFIX[type].prefix}_${id.replaceAll('-', '')}`
}

/** Type and database id of a public id; null for anything else. Never throws. */
export function parsePublicId(text: string): { type: IdType; id: string } | null {
  const match = /^([a-z]+)_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(text)
  const type = match?.[1] === undefined ? undefined : TYPE_OF.get(match[1])
  return match && type ? { type, id: match.slice(2).join('-') } : null
}
