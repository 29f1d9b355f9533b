import pg from 'pg'
import type { Connection } from '../../../../server/db/embedded/embeddedPostgres.ts'
import { createPool } from '../../../../server/db/pool.ts'
import { createOpenDriver, createRootFolders } from '../../../../server/domain/accounts/credentials.ts'
import { createAccountHealth, createAfterChange } from '../../../../server/domain/accounts/health.ts'
import type { Events } from '../../../../server/domain/events.ts'
import { createAccountFeed } from '../../../../server/domain/feed/feed.ts'
import { createChangeInPlace } from '../../../../server/domain/inPlace/changes.ts'
import { createFolderLooks, createInPlaceHousekeeping } from '../../../../server/domain/inPlace/indexer.ts'
import { createInPlaceService } from '../../../../server/domain/inPlace/service.ts'
import type { Driver, EntryRef } from '../../../../server/providers/driver.ts'
import type { Providers } from '../../../../server/providers/providers.ts'
import { createOwner } from '../../../factories/files.ts'
import { createMemoryAccount } from '../../../factories/groupClouds.ts'
import { createMemoryCloud, ROOT } from '../../../fakes/memory/cloud.ts'
import { memoryModule } from '../../../fakes/memory/module.ts'
import { createPaths, pathDriver } from '../../../fakes/memory/paths.ts'
import { emptyDatabase, setDatabaseClock, virtualize } from '../database.ts'
import { createLife, Died, type Life } from '../mortal.ts'
import { enqueue } from '../queue.ts'
import { type Chance, createChance } from '../random.ts'
import { createVirtualClock, inVirtualTime, type VirtualClock } from '../virtual.ts'
import { createTurns, type Turns } from './turns.ts'

/** A migrated database that is used by nothing else. */
export type InPlaceConnections = {
  readonly database: Connection
  /** Its statements are not part of what is tested. */
  readonly control: pg.Pool
  close(): Promise<void>
}

export async function openInPlace(database: Connection): Promise<InPlaceConnections> {
  const client = new pg.Client(database)
  await client.connect()
  await virtualize(client)
  await client.end()
  const control = createPool(database, { max: 2, name: 'sim control' })
  return { database, control, close: () => control.end() }
}

/** A driver that does something wrong: for tests of what the simulation finds. Both servers share the result. */
export type Spoil = (driver: Driver) => Driver

export const SUBJECT = 'Drive'

/** WALK: the service reports no changes, has no trash, and names entries by their paths. */
export type Shape = 'FEED' | 'WALK'

export type InPlaceWorld = Awaited<ReturnType<typeof createInPlaceWorld>>
export type InPlaceServer = Awaited<ReturnType<typeof startServer>>

type WorldDeps = {
  readonly on: InPlaceConnections
  readonly chance: Chance
  readonly clock: VirtualClock
  /** What the network and the service do to the pages that they send. */
  readonly distort: (driver: Driver, world: { readonly cloud: ReturnType<typeof createMemoryCloud> }) => Driver
  readonly spoil: Spoil
  readonly shape: Shape
  readonly onError: (error: unknown) => void
}

/** One account of a user, and two servers that share the database. */
export async function createInPlaceWorld({ on, chance, clock, distort, spoil, shape, onError }: WorldDeps) {
  const { control } = on
  await emptyDatabase(control)
  const { viewer } = await createOwner(control)
  let ids = 0
  const pageSize = chance.between(2, 12)
  const newId = () => {
    ids += 1
    return `e${ids}`
  }
  const capabilities = { duplicateNames: shape === 'FEED' }
  const cloud = createMemoryCloud({ accessMs: 10 ** 12, clock, pageSize, newId, capabilities })
  cloud.addAccount({ subject: SUBJECT })
  const accountId = await createMemoryAccount(control, viewer.userId, SUBJECT, 'UNLIMITED')
  const turns = createTurns(chance, control)
  const service = distort(memoryModule(cloud).open(cloud.signIn(SUBJECT)), { cloud })
  const driver = turns.driver(spoil(shape === 'FEED' ? service : pathDriver(service, cloud, SUBJECT)))
  const paths = createPaths(cloud, SUBJECT)
  /** Skypool's folder, and what is in it. */
  const isOwn = (ref: EntryRef) => shape === 'WALK' && /^Skypool(\/|$)/.test(paths.pathOf(ref))
  const changedFiles: string[] = []
  const start = (number: number) => startServer({ on, clock, turns, driver, number, onError, changedFiles })
  const servers = [await start(0), await start(1)]
  return {
    control,
    clock,
    cloud,
    viewer,
    accountId,
    turns,
    shape,
    isOwn,
    /** As the index names an entry, and back. */
    nameOf: (ref: EntryRef) => (shape === 'FEED' || ref === ROOT ? ref : paths.pathOf(ref)),
    refOf: (name: EntryRef) => (shape === 'FEED' ? name : paths.idOf(name)),
    servers,
    /** Ids of files in events of changes since this was emptied. */
    changedFiles,
    /** The server's successor, after it stopped or crashed. */
    async restart(number: number): Promise<void> {
      await servers[number]?.close()
      servers[number] = await start(number)
    },
    async close(): Promise<void> {
      for (const server of servers) await server.close()
    },
  }
}

type ServerDeps = Pick<WorldDeps, 'on' | 'clock' | 'onError'> & {
  readonly turns: Turns
  readonly driver: Driver
  readonly number: number
  readonly changedFiles: string[]
}

/** What one process does for accounts, with its own caches and connections. It can crash at each step. */
async function startServer({ on, clock, turns, driver, number, onError: tell, changedFiles }: ServerDeps) {
  const life: Life = createLife()
  const name = `sim server ${number}`
  const real = [createPool(on.database, { name, max: 8 }), createPool(on.database, { name, max: 2 })] as const
  const [pool, leases] = real.map((one) => life.pool(turns.pool(one))) as [pg.Pool, pg.Pool]
  const onError = (error: unknown) => {
    if (!life.died && !(error instanceof Died)) tell(error)
  }
  const events: Events = {
    publish(topic, _userId, event) {
      if (topic === 'filesChanged' && 'fileIds' in event) changedFiles.push(...event.fileIds)
    },
    subscribe: () => {
      throw new Error('Events are not received here.')
    },
  }
  const mortal = life.driver(driver)
  const openDriver = createOpenDriver({ pool, providers: { open: () => mortal } as Partial<Providers> as Providers })
  const afterChange = createAfterChange({ pool, enqueue, events })
  const report = createAccountHealth({ pool, afterChange, onError, now: clock.now })
  const deps = { pool, leases, events, enqueue, openDriver, report, onError, rootFolders: createRootFolders(pool) }
  const changeInPlace = createChangeInPlace(deps)
  const feed = createAccountFeed(deps)
  const looks = createFolderLooks(deps)
  return {
    life,
    feed,
    looks,
    service: createInPlaceService(deps),
    changeInPlace,
    housekeeping: createInPlaceHousekeeping({ ...deps, changeInPlace }),
    async whenIdle() {
      await looks.whenIdle()
      await report.whenIdle()
    },
    async close(): Promise<void> {
      await looks.close()
      await feed.close()
      await report.whenIdle()
      life.bury()
      await Promise.all(real.map((one) => one.end()))
      const open = 'select from pg_stat_activity where application_name = $1 and datname = current_database()'
      while ((await on.control.query(open, [name])).rowCount) await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

/** Runs `work` with the time, random numbers and ids of a seed. */
export function inTimeOf<Result>(
  seed: string,
  { control }: InPlaceConnections,
  work: (clock: VirtualClock) => Promise<Result>,
): Promise<Result> {
  const clock = createVirtualClock(createChance(seed, 'clock'), (now) => setDatabaseClock(control, now))
  return inVirtualTime(clock, createChance(seed, 'ids'), () => work(clock))
}
