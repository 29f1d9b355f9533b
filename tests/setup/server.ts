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
import { startBalancer } from './balancer.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { createLoginProvider, type LoginProvider } from './loginProvider.ts'
import { createTestProviders } from './providers.ts'

export type TestServer = RunningServer & {
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
  /** Another way to the test's database. */
  readonly reachBy?: (database: TestDatabase) => Promise<DatabaseAddress>
  /** `reachBy` is PgBouncer, and there is a way past it. */
  readonly directly?: boolean
  readonly logLevel?: string
  readonly withDropbox?: boolean
  /** A provider whose accounts are connected with a form, by `/accounts` alone. */
  readonly harbour?: Harbour
}

/** With SERVERS=2, what tests ask over HTTP is answered by two servers in turn, behind nginx. */
const BLACK_BOX = process.env.SERVERS === '2'

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
    shared = beside !== undefined || BLACK_BOX,
    reachBy,
    directly = false,
    ...options
  }: TestServerOptions = {},
): Promise<TestServer> {
  const database = beside?.database ?? (await createTestDatabase())
  const dataDir = beside?.dataDir ?? mkdtempSync(join(tmpdir(), 'skypool-data-'))
  const logs: string[] = []
  const google = createLoginProvider()
  const dropbox = createLoginProvider('dropbox', 'dropbox')
  const modules = [google.module, ...(withDropbox ? [dropbox.module] : []), ...(harbour ? [harbour.module] : [])]
  // Without paths of its own.
  const rows = harbour ? [harbourRow(harbour)] : []
  const given = directly ? { databaseDirectUrl: addressOf(database) } : {}
  const serving: ServeOptions = {
    config: {
      ...readConfig({ PORT: '0', DATABASE_POOL }),
      dataDir,
      avatarUrl: new URL('http://127.0.0.1:9/'),
      ...given,
      ...overrides,
    },
    database: (await reachBy?.(database)) ?? (shared ? addressOf(database) : database.connection),
    migrations: readMigrations('prisma/migrations'),
    logger: createLogger(logLevel, { write: (line: string) => logs.push(line) }),
    version: 'test',
    persisted: JSON.parse(readFileSync('web/__generated__/persisted.json', 'utf8')) as Record<string, string>,
    webDirectory: null,
    tasks: TASKS,
    openProviders: ({ credentials, local }) => createTestProviders(modules, credentials, local, rows),
    ...options,
  }
  const server = await serve(serving)
  const second = BLACK_BOX && !beside ? await serve({ ...serving, alone: false }) : null
  const balancer = second && (await startBalancer([server.url, second.url]))
  return {
    ...server,
    ...(balancer && { url: balancer.url }),
    google,
    dropbox,
    database,
    dataDir,
    logs,
    async close() {
      await balancer?.close()
      await second?.close()
      await server.close()
      if (beside) return
      await database.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** As DATABASE_URL would name it. */
export function addressOf({ connection: { host, port, user, database } }: Pick<TestDatabase, 'connection'>): string {
  return `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`
}
