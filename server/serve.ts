import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { createServices, type Domain, type ProvidersDeps } from './compose.ts'
import { raiseFloor } from './db/changeLog.ts'
import { createDb, type Db } from './db/client.ts'
import { createEvents, type EventHub } from './db/events.ts'
import { type Migration, migrate } from './db/migrate.ts'
import { createPool, type DatabaseAddress } from './db/pool.ts'
import { connectionName, createRegister, type Register, type RegisterTimes } from './db/servers.ts'
import { createSoleLock } from './db/soleLock.ts'
import { createCredentialStore } from './domain/accounts/credentials.ts'
import { createAfterChange } from './domain/accounts/health.ts'
import { type ActivityRecorder, createActivityLog } from './domain/activity/log.ts'
import { ACCEPTED_TYPES } from './domain/files/content/types.ts'
import { setTotalQuota } from './domain/groupClouds/members.ts'
import type { Housekeeping } from './domain/housekeeping.ts'
import { openEncryption } from './domain/secrets/openEncryption.ts'
import type { Services } from './domain/services.ts'
import type { TelegramBot } from './domain/telegram/service.ts'
import type { Config } from './env.ts'
import { graphqlPlugin } from './graphql/plugin.ts'
import { createHttpApp } from './http/app.ts'
import type { ReadyChecks } from './http/health.ts'
import { ALL_TASKS, attemptsOf } from './jobs/allTasks.ts'
import { startWorker, type Worker } from './jobs/worker.ts'
import { startKeyRotation } from './keyRotation.ts'
import type { Encryption } from './lib/encryption.ts'
import type { Logger } from './lib/logger.ts'
import { openMailer } from './mail/openMailer.ts'
import { localDriver } from './providers/local/driver.ts'
import type { Providers } from './providers/providers.ts'
import { createHttp } from './providers/shared/http.ts'
import { createEnqueue, migrateQueue, unlockJobs, unlockJobsOf, unlockStrangers } from './queue/enqueue.ts'
import { createDeviceCookie, createProofCookie } from './rest/proofCookie.ts'
import { createSessionCookie } from './rest/sessionCookie.ts'
import { createSite } from './site.ts'
import { createDiskSpace, type DiskSpace } from './storage/diskSpace.ts'
import { createObjectStore } from './storage/objectStore.ts'
import { type BotApi, createBotApi } from './telegram/api.ts'
import { POLLER_LOCK, startPoller } from './telegram/poller.ts'

/** Those that wait for a provider hold one each; requests never do. */
const MOST_LEASES = 24

export type ServeOptions = {
  readonly config: Config
  readonly database: DatabaseAddress
  readonly migrations: readonly Migration[]
  readonly logger: Logger
  readonly version: string
  /** Operations of the web client by their hash (web/__generated__/persisted.json). */
  readonly persisted: Readonly<Record<string, string>>
  /** Vite's output; null serves no web client. */
  readonly webDirectory: string | null
  /** The providers of this server, over its credentials and its own storage. */
  readonly openProviders: (deps: ProvidersDeps) => Providers
  /** Polling interval of each account's changes (ms). */
  readonly feedEveryMs?: number
  /** No other server can be on this database and data folder. Unless told: when the database is the embedded one. */
  readonly alone?: boolean
  /** How soon servers that fell silent are taken for dead; for tests. */
  readonly registerTimes?: Partial<RegisterTimes>
}

export type RunningServer = {
  readonly url: string
  readonly services: Services
  readonly housekeeping: Housekeeping
  readonly pool: pg.Pool
  /** Reads what is due of the accounts' changes, now. */
  readonly readFeeds: () => Promise<void>
  /** In the register of servers. */
  readonly id: string
  /** Lets requests end (within 10 s), then jobs, then connections. */
  close(): Promise<void>
}

/** The server but for its process: brings the database up to date, sweeps what a crash left behind, works and listens. */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { config, logger } = options
  const duties: Duties = { worker: null, receiving: () => [] }
  const base = await connect(options, duties)
  const { pool } = base
  const encryption = await openEncryption({
    pool,
    keys: config.secretKeys,
    file: join(config.dataDir, 'secret.key'),
  }).catch(async (error: unknown) => {
    await disconnect(base)
    throw error
  })
  await setTotalQuota(pool, config.totalQuotaBytes)
  const bot = openBot(config)
  const site = createSite(config)
  const { dataDir, diskReserveBytes } = config
  const space = createDiskSpace({ directory: dataDir, reserveBytes: diskReserveBytes, logger })
  const domain = await openDomain(options, base, encryption, bot, site.url, space)
  const { services, housekeeping, transfers, probe, feed, telegramInbox, keyUsage, copying } = domain
  const { register } = base
  duties.receiving = domain.receiving
  await register.start()
  await housekeeping.uploads.sweepStaging(new AbortController().signal)
  const worker = await startWorker({ pool, tasks: ALL_TASKS, housekeeping, logger, onName: register.setWorker })
  duties.worker = worker
  space.start()
  transfers.start()
  keyUsage.start()
  probe.start()
  feed.start()
  const lock = createSoleLock(base.leases, POLLER_LOCK)
  const poller = bot && startPoller({ api: bot, inbox: telegramInbox, lock, logger })
  const keyRotation = startKeyRotation({ ...base, encryption, logger })
  const app = await createApp(options, base, services)
  const url = await app.listen({ host: config.host, port: config.port })
  site.listensAt(url)
  return {
    url,
    services,
    housekeeping,
    pool,
    readFeeds: feed.tick,
    id: register.id,
    async close() {
      // First: whoever waits for copies is told, and does not hold up the end.
      await copying.stop()
      await app.close()
      await poller?.stop()
      await probe.close()
      await feed.close()
      await keyRotation.stop()
      await transfers.stop()
      await worker.stop()
      await keyUsage.stop()
      space.stop()
      await disconnect(base)
    },
  }
}

/** The Telegram bot, where the settings name one. */
function openBot({ telegramBotToken: token, providerEmulatorUrl: emulatorUrl }: Config): BotApi | null {
  return token === null ? null : createBotApi({ http: createHttp({ emulatorUrl }), token })
}

async function openDomain(
  options: ServeOptions,
  base: Base,
  encryption: Encryption,
  telegramBot: TelegramBot | null,
  siteUrl: () => string,
  space: DiskSpace,
): Promise<Domain> {
  const { config, logger, openProviders } = options
  const onError = (err: unknown) => logger.error({ err }, 'Something failed after its answer was given')
  const onStateOmitted = (use: object) =>
    logger.info(use, 'An authorization was completed without its state; the newest one of the session counted')
  const enqueue = createEnqueue(attemptsOf)
  const store = await createObjectStore(config.dataDir, space)
  const afterChange = createAfterChange({ ...base, pool: base.workPool, enqueue })
  const onExpired = (accountId: string) => void afterChange(accountId, { expired: true }).catch(onError)
  const credentials = createCredentialStore({ ...base, encryption, onExpired })
  const local = localDriver(store)
  const providers = openProviders({ config, credentials, store, local, logger })
  const mailer = openMailer(config, logger)
  const told = { onError, onStateOmitted, alone: isAlone(options) }
  const feedEvery = options.feedEveryMs === undefined ? {} : { feedEveryMs: options.feedEveryMs }
  const made = { store, local, enqueue, providers, encryption, afterChange, telegramBot, mailer, siteUrl, ...told }
  return createServices({ ...base, ...made, ...feedEvery, config })
}

/** What the register asks of the running server. */
type Duties = { worker: Worker | null; receiving: () => readonly string[] }

/** An embedded database has one server. */
function isAlone({ alone, database }: ServeOptions): boolean {
  return alone ?? typeof database !== 'string'
}

/** Of a statement that somebody waits for: those that are long are paged or left to jobs. */
const STATEMENT_MS = 15_000
const MOST_AT_WORK = 6

type Base = {
  readonly register: Register
  readonly pool: pg.Pool
  /** For jobs, and what follows from changes at accounts: without time limits. */
  readonly workPool: pg.Pool
  /** For connections that are held while a provider is asked. */
  readonly leases: pg.Pool
  readonly db: Db
  readonly events: EventHub
  readonly activity: ActivityRecorder
}

async function connect(options: ServeOptions, duties: Duties): Promise<Base> {
  const { database, migrations, logger } = options
  const applied = await migrate(database, migrations)
  if (applied.length > 0) logger.info({ migrations: applied }, 'The database was brought up to date')
  const register = openRegister(options, duties)
  // While a pool ends, its last connections may see the database go first. The error holds the whole client: only its message is logged.
  const onError = ({ message }: Error) =>
    pool.ending || leases.ending || workPool.ending || logger.warn({ reason: message }, 'A database connection broke')
  const name = connectionName('skypool', register.id)
  const pool = createPool(database, { name, statementMs: STATEMENT_MS, onError })
  const workPool = createPool(database, { name, max: MOST_AT_WORK, onError })
  const leases = createPool(database, { name, max: MOST_LEASES, onError })
  await migrateQueue(workPool)
  // An earlier run may have been killed with events that it had not sent yet.
  await raiseFloor(workPool)
  // What is locked was locked by a server that died.
  if (isAlone(options)) await unlockJobs(pool)
  const activity = createActivityLog({
    pool,
    onError: (err) => logger.error({ err }, 'What was done could not be written down'),
  })
  const heard = { pool, address: database, logger, name: connectionName('skypool-events', register.id) }
  return { register, pool, workPool, leases, db: createDb(pool), events: await createEvents(heard), activity }
}

function openRegister(options: ServeOptions, duties: Duties): Register {
  const { database: address, logger, registerTimes: times = {} } = options
  return createRegister({
    address,
    logger,
    times,
    alone: isAlone(options),
    receiving: () => duties.receiving(),
    unlock: unlockJobsOf,
    unlockStrangers,
    onBuried() {
      duties.worker?.restart().catch((err: unknown) => logger.error({ err }, 'Jobs could not be begun again'))
    },
  })
}

async function disconnect({ register, events, db, leases, pool, workPool, activity }: Base): Promise<void> {
  await activity.flush()
  await events.close()
  await register.close()
  await db.$disconnect()
  await leases.end()
  await workPool.end()
  await pool.end()
}

function createApp(options: ServeOptions, { pool, db, events }: Base, services: Services) {
  const { config, logger, persisted, version, webDirectory, migrations } = options
  const { publicUrl, host, trustProxy, corsOrigins, avatarUrl, dataDir } = config
  const graphql = graphqlPlugin({
    services,
    db,
    events,
    server: { version, uploadTypes: config.acceptAnyType ? null : ACCEPTED_TYPES, mail: config.smtpUrl !== null },
    persisted,
    sessionCookie: createSessionCookie(publicUrl?.protocol === 'https:'),
    proofCookie: createProofCookie(publicUrl?.protocol === 'https:'),
    deviceCookie: createDeviceCookie(publicUrl?.protocol === 'https:'),
    logger,
  })
  const readyChecks = createReadyChecks(pool, dataDir, migrations)
  return createHttpApp({
    services,
    logger,
    publicUrl,
    host,
    trustProxy,
    corsOrigins,
    graphql,
    webDirectory,
    avatarUrl,
    readyChecks,
  })
}

function createReadyChecks(pool: pg.Pool, dataDir: string, migrations: readonly Migration[]): ReadyChecks {
  return {
    database: () => pool.query('select 1'),
    migrations: async () => {
      const { rowCount } = await pool.query('select from _prisma_migrations where finished_at is not null')
      if ((rowCount ?? 0) < migrations.length) throw new Error('Some migrations are not applied.')
    },
    staging: () => access(join(dataDir, 'staging'), constants.W_OK),
  }
}
