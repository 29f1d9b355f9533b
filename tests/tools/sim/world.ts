import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import type { Db } from '../../../server/db/client.ts'
import type { Viewer } from '../../../server/domain/viewer.ts'
import { createEncryption, type Encryption } from '../../../server/lib/encryption.ts'
import { ProviderError } from '../../../server/providers/errors.ts'
import { createObjectStore, type ObjectStore } from '../../../server/storage/objectStore.ts'
import { memoryModule } from '../../fakes/memory/module.ts'
import { emptyDatabase, setDatabaseClock } from './database.ts'
import { createFaults, type Faults } from './faults.ts'
import { createModel, type Model } from './model.ts'
import { releaseJobs } from './queue.ts'
import type { Chance } from './random.ts'
import {
  createAccounts,
  createClouds,
  type Foreign,
  insertOwner,
  plantForeign,
  rateOf,
  type SimAccount,
} from './scenery.ts'
import { type Server, startServer } from './server.ts'
import { createVirtualClock, type VirtualClock } from './virtual.ts'

/** Connections of a worker. The server's pool has only one, so that statements run in the order of the calls. */
export type Connections = {
  readonly pool: pg.Pool
  readonly leases: pg.Pool
  readonly control: pg.Pool
  readonly db: Db
  /** Where schedules keep objects of this server. */
  readonly directory: string
}

export type World = {
  readonly seed: string
  readonly clock: VirtualClock
  readonly control: pg.Pool
  readonly store: ObjectStore
  readonly encryption: Encryption
  readonly model: Model
  readonly faults: Faults
  readonly viewer: Viewer
  readonly accounts: readonly SimAccount[]
  readonly foreign: Foreign[]
  readonly localId: string
  /** Objects that were changed by others, and accounts that were ever disconnected. */
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

/** A user with accounts at simulated providers and an empty drive. */
export async function createWorld(seed: string, chance: Chance, clock: VirtualClock, on: Connections): Promise<World> {
  await emptyDatabase(on.control)
  const directory = await mkdtemp(join(on.directory, 'schedule-'))
  const store = await createObjectStore(directory)
  const log: string[] = []
  const violations: string[] = []
  const clouds = createClouds(clock)
  const accounts = createAccounts(chance, clouds)
  const faults = createFaults(seed, new Map(accounts.map(({ subject }) => [subject, rateOf(chance)])))
  for (const cloud of clouds) cloud.fault = faults.hook
  faults.onCall((line) => log.push(`  ${line}`))
  const foreign = accounts.flatMap(plantForeign)
  const { viewer, localId } = await insertOwner(on.control, seed, chance)
  const encryption = createEncryption([`the secret of the simulation ${seed}`])
  const serverDeps = {
    ...on,
    store,
    clock,
    encryption,
    modules: clouds.map(memoryModule),
    note: (line: string) => void log.push(line),
    onError: (error: unknown) => {
      // What a provider returned is reported and needs no handling here: credentials that could not be revoked.
      if (!(error instanceof ProviderError)) violations.push(`unexpected: ${textOf(error)}`)
    },
  }
  const world: World = {
    seed,
    clock,
    control: on.control,
    store,
    encryption,
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

/** Locks of a process are released shortly after its connections. */
async function untilUnlocked(pool: pg.Pool): Promise<void> {
  const asking = `select from pg_locks l join pg_database d on d.oid = l.database
    where l.locktype = 'advisory' and d.datname = current_database()`
  while ((await pool.query(asking)).rowCount) await new Promise((resolve) => setImmediate(resolve))
}

/** Start time of a schedule. */
export function startClock(chance: Chance, { control }: Connections): VirtualClock {
  return createVirtualClock(chance, (now) => setDatabaseClock(control, now))
}
