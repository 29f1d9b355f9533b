import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readMigrations } from '../../server/db/migrate.ts'
import type { DatabaseAddress } from '../../server/db/pool.ts'
import { type Config, readConfig } from '../../server/env.ts'
import { ALL_TASKS } from '../../server/jobs/allTasks.ts'
import { createLogger } from '../../server/lib/logger.ts'
import type { ProviderRow } from '../../server/providers/catalogue.ts'
import { type RunningServer, type ServeOptions, serve } from '../../server/serve.ts'
import type { Harbour } from '../fakes/harbour/harbour.ts'
import { addressOf, createTestDatabase, type TestDatabase } from './database.ts'
import { FLEET, type Fleet, type Mortal, startFleet } from './fleet.ts'
import { createLoginProvider, type LoginProvider } from './loginProvider.ts'
import { sharedPgBouncer } from './pgbouncer.ts'
import { createTestProviders } from './providers.ts'
import './queueMemory.ts'
import { openSharedStorage } from './sharedStorage.ts'
import { openAddressWay, openDatabaseWay } from './way.ts'

export type TestServer = RunningServer & {
  /** Of the first server itself: `url` is the balancer's with several. For what a balancer answers by itself, and for what a test counts in it. */
  readonly ownUrl: string
  /** What answers as Google Drive, unless the test opens providers of its own. */
  readonly google: LoginProvider
  /** The same for Dropbox, where the test wants it set up. */
  readonly dropbox: LoginProvider
  readonly database: TestDatabase
  readonly dataDir: string
  /** Lines that were logged, at "warn" and above unless asked otherwise. */
  readonly logs: readonly string[]
}

export type TestServerOptions = Partial<
  Pick<ServeOptions, 'alone' | 'openProviders' | 'feedEveryMs' | 'registerTimes' | 'webDirectory'>
> & {
  /** Shares database and data folder with these, which have to be closed after it. */
  readonly beside?: Pick<TestServer, 'database' | 'dataDir'>
  /** Its database is known by an address, as from DATABASE_URL: others may share it. */
  readonly shared?: boolean
  /**
   * The test is about this server: it is alone behind its address, whatever the environment says. Default: whether the test starts
   * others itself, or cuts the way to the database.
   */
  readonly single?: boolean
  /** Another way to the test's database. */
  readonly reachBy?: (database: TestDatabase) => Promise<DatabaseAddress>
  /** `reachBy` is PgBouncer, and there is a way past it. */
  readonly directly?: boolean
  readonly logLevel?: string
  readonly withDropbox?: boolean
  /** A provider whose accounts are connected with a form, by `/accounts` alone. */
  readonly harbour?: Harbour
}

/** Others take over from a server that was killed before the tests lose their patience. */
const SOON = { beat: 1_000, silence: 10_000, steady: 3_000 }

/** What servers say when one of them was killed: nothing that the tests have caused. */
const TAKES_OVER = /"msg":"A server sent no heartbeat for too long/
const isOurDoing = (line: string) => FLEET.kills > 0 && TAKES_OVER.test(line)

/** With DATABASE_POOL=4, servers have one connection for each use: code that waits for a second one does not get on. */
const { DATABASE_POOL } = process.env

/** Jobs that usually run at certain minutes of an hour run only when a test starts them: the time of day must not matter. */
const TASKS = ALL_TASKS.map((task) => (task.cron === '* * * * *' ? task : { ...task, cron: null }))

function harbourRow({ row: { connect: _connect, ...row } }: Harbour): ProviderRow {
  return row
}

/** The whole server on a free port of the loopback: real database, real jobs, a data folder of its own. Close it in afterAll. */
export async function startTestServer(
  overrides: Partial<Config> = {},
  {
    logLevel = 'warn',
    withDropbox = false,
    harbour,
    beside,
    reachBy,
    directly = false,
    shared: isShared = beside !== undefined,
    single = isShared || reachBy !== undefined,
    ...options
  }: TestServerOptions = {},
): Promise<TestServer> {
  const isInTurn = FLEET.servers > 1 && !single
  const shared = isShared || isInTurn
  const database = beside?.database ?? (await createTestDatabase())
  const dataDir = beside?.dataDir ?? mkdtempSync(join(tmpdir(), 'skypool-data-'))
  const storage = await openSharedStorage()
  const logs: string[] = []
  const google = createLoginProvider()
  const dropbox = createLoginProvider('dropbox', 'dropbox')
  const modules = [google.module, ...(withDropbox ? [dropbox.module] : []), ...(harbour ? [harbour.module] : [])]
  // Without paths of its own.
  const rows = harbour ? [harbourRow(harbour)] : []
  const pooler = isInTurn && FLEET.pooled ? await sharedPgBouncer(database) : null
  const given = directly || pooler ? { databaseDirectUrl: addressOf(database) } : {}
  const common = readConfig({ PORT: '0', DATABASE_POOL, ...storage.settings })
  const serving: ServeOptions = {
    config: { ...common, dataDir, avatarUrl: new URL('http://127.0.0.1:9/'), ...given, ...overrides },
    database:
      (await reachBy?.(database)) ?? pooler?.urlOf(database) ?? (shared ? addressOf(database) : database.connection),
    migrations: readMigrations('prisma/migrations'),
    logger: createLogger(logLevel, { write: (line: string) => isOurDoing(line) || logs.push(line) }),
    version: 'test',
    persisted: JSON.parse(readFileSync('web/__generated__/persisted.json', 'utf8')) as Record<string, string>,
    webDirectory: null,
    tasks: TASKS,
    openProviders: ({ credentials, local }) => createTestProviders(modules, credentials, local, rows),
    ...(isInTurn && { registerTimes: SOON }),
    ...options,
  }
  const server = await serve(serving)
  const others: Other[] = []
  let fleet: Fleet | null = null
  if (isInTurn) {
    const told = { serving, database, logLevel, logs, separateFolder: storage.bucket !== null }
    for (let count = 1; count < FLEET.servers; count += 1) others.push(await startOther(told))
    fleet = await startFleet({ first: server, others, breaksStreams: false })
  }
  return {
    ...server,
    ownUrl: server.url,
    ...(fleet && { url: fleet.url }),
    google,
    dropbox,
    database,
    dataDir,
    logs,
    async close() {
      await fleet?.calm()
      await Promise.all([server, ...others].map((each) => each.close()))
      await fleet?.close()
      if (beside) return
      await database.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

type Other = Mortal & { close(): Promise<void> }

type OtherOptions = Pick<TestServer, 'database'> & {
  readonly serving: ServeOptions
  readonly logLevel: string
  readonly logs: string[]
  readonly separateFolder: boolean
}

/**
 * One more server. In one process, the nearest thing to its death is that nobody asks it, that it says nothing, and that it never
 * reaches the database again, which is what its work depends on.
 */
async function startOther({ serving, database, logLevel, logs, separateFolder }: OtherOptions): Promise<Other> {
  const folder = separateFolder ? mkdtempSync(join(tmpdir(), 'skypool-data-')) : null
  const config = { ...serving.config, ...(folder !== null && { dataDir: folder }) }
  const lives: Awaited<ReturnType<typeof live>>[] = []

  async function live() {
    const way = FLEET.kills > 0 ? await openWays(serving, database) : null
    let dead = false
    const write = (line: string) => dead || isOurDoing(line) || logs.push(line)
    const server = await serve({
      ...serving,
      alone: false,
      ...(way && { database: way.database }),
      config: { ...config, ...(way && { databaseDirectUrl: way.databaseDirectUrl }) },
      logger: createLogger(logLevel, { write }),
    }).catch((error: unknown) => {
      way?.close()
      throw error
    })
    return {
      url: server.url,
      die() {
        dead = true
        way?.cut()
      },
      async close() {
        // So that it ends in good order.
        if (dead) await way?.mend()
        await server.close()
        way?.close()
      },
    }
  }

  lives.push(await live())
  return {
    get url() {
      return lives.at(-1)?.url ?? ''
    },
    async kill() {
      lives.at(-1)?.die()
    },
    async start() {
      lives.push(await live())
    },
    async close() {
      for (const each of lives) await each.close()
      if (folder !== null) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Cuts all ways of a server to its database: past PgBouncer as well, where that is between them. */
async function openWays({ config, database: pooled }: ServeOptions, { connection }: TestDatabase) {
  const direct = await openDatabaseWay(connection)
  if (config.databaseDirectUrl === null || typeof pooled !== 'string')
    return { ...direct, database: direct.address, databaseDirectUrl: null }
  const between = await openAddressWay(pooled)
  const { user, port, database } = direct.address
  return {
    database: between.address,
    databaseDirectUrl: `postgres://${user}@127.0.0.1:${port}/${database}`,
    cut() {
      direct.cut()
      between.cut()
    },
    mend: () => Promise.all([direct.mend(), between.mend()]),
    close() {
      direct.close()
      between.close()
    },
  }
}
