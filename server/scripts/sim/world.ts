import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import type { Db } from '../../db/client.ts'
import type { Viewer } from '../../domain/viewer.ts'
import { createSealing } from '../../lib/sealing.ts'
import type { EntryRef } from '../../providers/driver.ts'
import { ProviderError } from '../../providers/errors.ts'
import { createMemoryCloud, type MemoryCloud } from '../../providers/memory/cloud.ts'
import { memoryModule } from '../../providers/memory/module.ts'
import { createObjectStore, type ObjectStore } from '../../storage/objectStore.ts'
import { emptyDatabase, setDatabaseClock } from './database.ts'
import { createFaults, type Faults } from './faults.ts'
import { createModel, type Model } from './model.ts'
import { releaseJobs } from './queue.ts'
import type { Chance } from './random.ts'
import { type Server, startServer } from './server.ts'
import { createVirtualClock, type VirtualClock } from './virtual.ts'

/** Connections of a worker. The server's has one only, so that the order of statements is the order of asking. */
export type Connections = {
  readonly pool: pg.Pool
  readonly leases: pg.Pool
  readonly control: pg.Pool
  readonly db: Db
  /** Where schedules keep objects of this server. */
  readonly directory: string
}

export type SimAccount = { readonly subject: string; readonly cloud: MemoryCloud; id: string | null }
/** An object that is not ours. */
export type Foreign = {
  readonly account: SimAccount
  readonly ref: EntryRef
  readonly name: string
  readonly sha256: string
}

export type World = {
  readonly seed: string
  readonly clock: VirtualClock
  readonly control: pg.Pool
  readonly store: ObjectStore
  readonly model: Model
  readonly faults: Faults
  readonly viewer: Viewer
  readonly accounts: readonly SimAccount[]
  readonly foreign: Foreign[]
  readonly localId: string
  /** Objects that were changed from outside, and accounts that were disconnected at some time. */
  readonly tampered: Set<string>
  readonly disconnected: Set<string>
  groupCloudIds: string[]
  server: Server
  readonly log: string[]
  readonly violations: string[]
  note(line: string): void
  /** Another process on the same database and disk, as after a crash. */
  restart(): Promise<void>
  close(): Promise<void>
}

const MIB = 1024 * 1024
const KINDS = [
  { kind: 'alpha', capabilities: { hash: 'md5', duplicateNames: true, resumable: true } },
  { kind: 'beta', capabilities: { hash: 'dropbox', duplicateNames: false, caseSensitive: false, resumable: true } },
  { kind: 'gamma', capabilities: { hash: null, duplicateNames: false, resumable: false, maxObjectBytes: 2 * MIB } },
] as const

/** A person with accounts at simulated services and an empty drive. */
export async function createWorld(seed: string, chance: Chance, clock: VirtualClock, on: Connections): Promise<World> {
  await emptyDatabase(on.control)
  const directory = await mkdtemp(join(on.directory, 'schedule-'))
  const store = await createObjectStore(directory)
  const log: string[] = []
  const violations: string[] = []
  const clouds = KINDS.map((options) =>
    createMemoryCloud({ ...options, clock, chunkBytes: 64 * 1024, newId: nextId() }),
  )
  const accounts = createAccounts(chance, clouds)
  const faults = createFaults(seed, new Map(accounts.map(({ subject }) => [subject, rateOf(chance)])))
  for (const cloud of clouds) cloud.fault = faults.hook
  faults.onCall((line) => log.push(`  ${line}`))
  const foreign = accounts.flatMap(plantForeign)
  const viewer = { userId: uuid(`${seed} user`), sessionId: uuid(`${seed} session`) }
  const localId = uuid(`${seed} local`)
  await insertOwner(on.control, viewer, localId, chance.between(1, 8) * MIB)
  const serverDeps = {
    ...on,
    store,
    clock,
    sealing: createSealing([`the secret of the simulation ${seed}`]),
    modules: clouds.map(memoryModule),
    note: (line: string) => void log.push(line),
    onError: (error: unknown) => {
      // What a service said is told and needs no care of ours: credentials that could not be given back.
      if (!(error instanceof ProviderError)) violations.push(`unexpected: ${textOf(error)}`)
    },
  }
  const world: World = {
    seed,
    clock,
    control: on.control,
    store,
    model: createModel(),
    faults,
    viewer,
    accounts,
    foreign,
    localId,
    tampered: new Set(),
    disconnected: new Set(),
    groupCloudIds: [],
    server: startServer(serverDeps),
    log,
    violations,
    note: (line) => void log.push(line),
    async restart() {
      await world.server.close()
      await untilUnlocked(on.control)
      await releaseJobs(on.control)
      world.server = startServer(serverDeps)
    },
    async close() {
      await world.server.close()
      await untilUnlocked(on.control)
      await rm(directory, { recursive: true, force: true })
    },
  }
  return world
}

export function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const at = error.stack?.split('\n').find((line) => line.includes('/server/') && !line.includes('/sim/')) ?? ''
  const cause = error.cause === undefined ? '' : ` because ${textOf(error.cause)}`
  return `${error.name}: ${error.message}${
    at &&
    ` (${at
      .trim()
      .replace(/^at /, '')
      .replace(/\(?\S*\/server\//, 'server/')}`
  }${cause}`
}

function createAccounts(chance: Chance, clouds: readonly MemoryCloud[]): SimAccount[] {
  return Array.from({ length: chance.between(2, 4) }, (_, index) => {
    const cloud = chance.pick(clouds) as MemoryCloud
    const subject = `Drive ${index + 1}`
    const quota = chance.happens(0.7) ? chance.between(1, 10) * MIB : chance.oneOf(['UNLIMITED', 'UNKNOWN'] as const)
    cloud.addAccount({ subject, quota })
    return { subject, cloud, id: null }
  })
}

/** Some accounts are well, some are not. */
function rateOf(chance: Chance): number {
  return chance.oneOf([0.03, 0.1, 0.2, 0.3, 0.4])
}

/** Files that were in the account before us, some of them where ours will be. */
function plantForeign(account: SimAccount): Foreign[] {
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

async function insertOwner(pool: pg.Pool, { userId, sessionId }: Viewer, localId: string, quota: number) {
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
    [localId, userId, quota],
  )
}

/** Locks of a process end a moment after its connections. */
async function untilUnlocked(pool: pg.Pool): Promise<void> {
  const asking = `select from pg_locks l join pg_database d on d.oid = l.database
    where l.locktype = 'advisory' and d.datname = current_database()`
  while ((await pool.query(asking)).rowCount) await new Promise((resolve) => setImmediate(resolve))
}

/** Where a schedule's time begins. */
export function startClock(chance: Chance, { control }: Connections): VirtualClock {
  return createVirtualClock(chance, (now) => setDatabaseClock(control, now))
}
