import { createHash } from 'node:crypto'
import type pg from 'pg'
import type { Viewer } from '../../../server/domain/viewer.ts'
import type { EntryRef } from '../../../server/providers/driver.ts'
import { createMemoryCloud, type MemoryCloud } from '../../fakes/memory/cloud.ts'
import type { Chance } from './random.ts'
import type { VirtualClock } from './virtual.ts'

export type SimAccount = { readonly subject: string; readonly cloud: MemoryCloud; id: string | null }
/** An object that is not ours. */
export type Foreign = {
  readonly account: SimAccount
  readonly ref: EntryRef
  readonly name: string
  readonly sha256: string
}

const MIB = 1024 * 1024
const KINDS = [
  { kind: 'alpha', capabilities: { hash: 'md5', duplicateNames: true, resumable: true } },
  { kind: 'beta', capabilities: { hash: 'dropbox', duplicateNames: false, caseSensitive: false, resumable: true } },
  { kind: 'gamma', capabilities: { hash: null, duplicateNames: false, resumable: false, maxObjectBytes: 2 * MIB } },
] as const

/** Providers that differ as real ones do. */
export function createClouds(clock: VirtualClock): MemoryCloud[] {
  return KINDS.map((options) => createMemoryCloud({ ...options, clock, chunkBytes: 64 * 1024, newId: nextId() }))
}

/** Two to four, some of them small. */
export function createAccounts(chance: Chance, clouds: readonly MemoryCloud[]): SimAccount[] {
  return Array.from({ length: chance.between(2, 4) }, (_, index) => {
    const cloud = chance.pick(clouds) as MemoryCloud
    const subject = `Drive ${index + 1}`
    const quota = chance.happens(0.7) ? chance.between(1, 10) * MIB : chance.oneOf(['UNLIMITED', 'UNKNOWN'] as const)
    cloud.addAccount({ subject, quota })
    return { subject, cloud, id: null }
  })
}

/** Some accounts work, some do not. */
export function rateOf(chance: Chance): number {
  return chance.oneOf([0.03, 0.1, 0.2, 0.3, 0.4])
}

/** Files that were in the account before, some of them at paths that ours will use. */
export function plantForeign(account: SimAccount): Foreign[] {
  const { cloud, subject } = account
  const tree = cloud.tree(subject)
  const root = cloud.accounts.get(subject)?.root as EntryRef
  const file = (parent: EntryRef, name: string) =>
    tree.add({ parent, name, kind: 'file', bytes: Buffer.from(`${name} of ${subject}`), mimeType: null })
  const folder = tree.add({ parent: root, name: 'Skypool', kind: 'folder', bytes: Buffer.alloc(0), mimeType: null })
  const planted = [
    file(root, 'taxes.pdf'),
    file(folder.ref, 'f1.bin'),
    file(folder.ref, 'F2.BIN'),
    file(folder.ref, 'f4.bin'),
  ]
  return planted.map(({ ref, name, bytes }) => ({ account, ref, name, sha256: sha256(bytes) }))
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function uuid(text: string): string {
  const hex = createHash('md5').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`
}

function nextId(): () => string {
  let last = 0
  return () => {
    last += 1
    return `object-${last}`
  }
}

/** Signed in, with storage of this server. */
export async function insertOwner(
  pool: pg.Pool,
  seed: string,
  chance: Chance,
): Promise<{ viewer: Viewer; localId: string }> {
  const [userId, sessionId, localId] = [uuid(`${seed} user`), uuid(`${seed} session`), uuid(`${seed} local`)]
  await pool.query(
    `insert into users (id, full_name, email, email_key, password_hash) values ($1, 'Ada', 'ada@example.org', 'ada@example.org', '')`,
    [userId],
  )
  await pool.query(
    `insert into sessions (id, user_id, token_hash, expires_at) values ($1, $2, '\\x00', now() + interval '10 years')`,
    [sessionId, userId],
  )
  await pool.query(
    `insert into accounts (id, user_id, provider, name, quota_bytes) values ($1, $2, 'local', 'This server', $3)`,
    [localId, userId, chance.between(1, 8) * MIB],
  )
  return { viewer: { userId, sessionId }, localId }
}
