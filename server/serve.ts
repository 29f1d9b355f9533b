import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { createServices, type Domain, type ProvidersDeps } from './compose.ts'
import { raiseFloor } from './db/changeLog.ts'
import { createDb, type Db } from './db/client.ts'
import { createEvents, type EventHub } from './db/events.ts'
import { createLeaderLock } from './db/locks.ts'
import { checkMigrations, type Migration, migrate } from './db/migrate.ts'
import { createPool, type DatabaseAddress, ping } from './db/pool.ts'
import { connectionName, createRegister, type Register, type RegisterTimes } from './db/servers.ts'
import { createStagedRows } from './db/stagedObjects.ts'
import { createCredentialStore } from './domain/accounts/credentials.ts'
import { createAfterChange } from './domain/accounts/health.ts'
import { storePoolUses } from './domain/accounts/rows.ts'
import { type ActivityRecorder, createActivityLog } from './domain/activity/log.ts'
import { ACCEPTED_TYPES } from './domain/files/content/types.ts'
import { setTotalQuota } from './domain/groupClouds/members.ts'
import type { Housekeeping } from './domain/housekeeping.ts'
import { openEncryption } from './domain/secrets/rotateKeys.ts'
import type { Services } from './domain/services.ts'
import type { TelegramBot } from './domain/telegram/service.ts'
import type { Config } from './env.ts'
import { graphqlPlugin } from './graphql/plugin.ts'
import { createHttpApp } from './http/app.ts'
import type { ReadyChecks } from './http/lifecycle.ts'
import { ALL_TASKS, attemptsOf } from './jobs/allTasks.ts'
import type { Task } from './jobs/task.ts'
import { startWorker, type Worker } from './jobs/worker.ts'
import { startKeyRotation } from './keyRotation.ts'
import type { Encryption } from './lib/encryption.ts'
import type { Logger } from './lib/logger.ts'
import { openMailer } from './mail/openMailer.ts'
import { localDriver } from './providers/local/driver.ts'
import type { Providers } from './providers/providers.ts'
import { createHttp } from './providers/shared/http.ts'
import { createEnqueue, migrateQueue, unlockJobs, unlockJobsOf, unlockUnregistered } from './queue/enqueue.ts'
import { createDeviceCookie, createProofCookie, createSessionCookie } from './rest/cookies.ts'
import { createSite } from './site.ts'
import { createDiskSpace, type DiskSpace } from './storage/diskSpace.ts'
import { createObjectStore } from './storage/objectStore.ts'
import { checkBucket, createBucketPing, createS3Store, refuseObjectsOnDisk } from './storage/s3/store.ts'
import { createThumbnailStore } from './storage/thumbnailStore.ts'
import { type BotApi, createBotApi } from './telegram/api.ts'
import { POLLER_LOCK, startPoller } from './telegram/poller.ts'
import { createThumbnailMaker, type ThumbnailMaker } from './thumbnails/maker.ts'

/** One connection per active call to a provider; requests never hold one. */
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
  /** Creates the providers of this server. */
  readonly openProviders: (deps: ProvidersDeps) => Providers
  /** Polling interval of each account's changes (ms). */
  readonly feedEveryMs?: number
  /** No other server uses this database and data folder. Default: true for the embedded database. */
  readonly alone?: boolean
  /** Kinds of jobs with their times. Default: ALL_TASKS. */
  readonly tasks?: readonly Task[]
  /** When servers without heartbeat count as dead; for tests. */
  readonly registerTimes?: Partial<RegisterTimes>
}

export type RunningServer = {
  readonly url: string
  readonly services: Services
  readonly housekeeping: Housekeeping
  readonly pool: pg.Pool
  /** Reads due change feeds of accounts now. */
  readonly readFeeds: () => Promise<void>
  /** Id in the register of servers. */
  readonly id: string
  /** Waits for requests (up to 10 s), then jobs, then closes connections. */
  close(): Promise<void>
}

/** Starts the server in this process: migrates the database, cleans up after a crash, starts background work and listens. */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { config, logger } = options
  const duties: Duties = { worker: null, receiving: () => [] }
  if (config.bucket) await refuseObjectsOnDisk(config.dataDir)
  if (config.bucket) await checkBucket(config.bucket)
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
  const maker = createThumbnailMaker()
  const domain = await openDomain(options, base, { encryption, telegramBot: bot, siteUrl: site.url, space, maker })
  const { services, housekeeping, transfers, probe, feed, looks, telegramInbox, keyUsage, copying, fileJobs } = domain
  const { register } = base
  duties.receiving = domain.receiving
  await register.start()
  await housekeeping.uploads.sweepStaging(new AbortController().signal)
  const { tasks = ALL_TASKS } = options
  const worker = await startWorker({ pool, tasks, housekeeping, logger, onName: register.setWorker })
  duties.worker = worker
  space.start()
  transfers.start()
  fileJobs.start()
  keyUsage.start()
  probe.start()
  feed.start()
  const lock = createLeaderLock(base.leases, POLLER_LOCK)
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
      // First, so that requests that wait for copies end and do not delay the shutdown.
      await copying.stop()
      maker.close()
      await app.close()
      await poller?.stop()
      await probe.close()
      await feed.close()
      await looks.close()
      await keyRotation.stop()
      await fileJobs.stop()
      await transfers.stop()
      await worker.stop()
      await keyUsage.stop()
      space.stop()
      await disconnect(base)
    },
  }
}

/** The Telegram bot; null: not set up. */
function openBot({ telegramBotToken: token, providerEmulatorUrl: emulatorUrl }: Config): BotApi | null {
  return token === null ? null : createBotApi({ http: createHttp({ emulatorUrl }), token })
}

type DomainParts = {
  readonly encryption: Encryption
  readonly telegramBot: TelegramBot | null
  readonly siteUrl: () => string
  readonly space: DiskSpace
  readonly maker: ThumbnailMaker
}

async function openDomain(options: ServeOptions, base: Base, parts: DomainParts): Promise<Domain> {
  const { encryption, telegramBot, siteUrl, space, maker } = parts
  const { config, logger, openProviders } = options
  const onError = (err: unknown) => logger.error({ err }, 'An error occurred after a response was sent')
  const onStateOmitted = (use: object) =>
    logger.info(use, 'An authorization was completed without its state; the newest one of the session was used')
  const enqueue = createEnqueue(attemptsOf)
  const store = config.bucket
    ? createS3Store({ place: config.bucket, rows: createStagedRows(base.pool), redirect: config.downloadRedirect })
    : await createObjectStore(config.dataDir, space)
  const afterChange = createAfterChange({ ...base, pool: base.workPool, enqueue })
  const onExpired = (accountId: string) => void afterChange(accountId, { expired: true }).catch(onError)
  const credentials = createCredentialStore({ ...base, encryption, onExpired })
  const local = localDriver(store)
  const providers = openProviders({ config, credentials, store, local, logger })
  await storePoolUses(base.pool, providers)
  const mailer = openMailer(config, logger)
  const told = { onError, onStateOmitted, alone: isAlone(options) }
  const feedEveryMs = options.feedEveryMs ?? config.accountPollMs
  const { dataDir, thumbnailsLimitBytes: limitBytes } = config
  const thumbnails = { store: createThumbnailStore({ dataDir, limitBytes, space, onError }), maker }
  const made = {
    store,
    local,
    thumbnails,
    extractText: maker.extract,
    enqueue,
    providers,
    encryption,
    afterChange,
    telegramBot,
    mailer,
    siteUrl,
    ...told,
  }
  return createServices({ ...base, ...made, feedEveryMs, config })
}

/** State of the running server that its register reads. */
type Duties = { worker: Worker | null; receiving: () => readonly string[] }

/** Only one server uses an embedded database. */
function isAlone({ alone, database }: ServeOptions): boolean {
  return alone ?? typeof database !== 'string'
}

/** Timeout of statements for requests: long ones are paged or moved to jobs. */
const STATEMENT_MS = 15_000
const MOST_AT_WORK = 6

type Base = {
  readonly register: Register
  readonly pool: pg.Pool
  /** For jobs and follow-ups of account changes: without statement timeouts. */
  readonly workPool: pg.Pool
  /** For connections that are held during calls to providers. */
  readonly leases: pg.Pool
  readonly db: Db
  readonly events: EventHub
  readonly activity: ActivityRecorder
}

async function connect(options: ServeOptions, duties: Duties): Promise<Base> {
  const { database, migrations, logger } = options
  const applied = await migrate(database, migrations)
  if (applied.length > 0) logger.info({ migrations: applied }, 'The database was migrated')
  const register = openRegister(options, duties)
  // While a pool ends, the database may close its last connections first. The error contains the whole client: only its message is logged.
  const onError = ({ message }: Error) =>
    pool.ending || leases.ending || workPool.ending || logger.warn({ reason: message }, 'A database connection broke')
  const name = connectionName('skypool', register.id)
  const pool = createPool(database, { name, statementMs: STATEMENT_MS, onError })
  const workPool = createPool(database, { name, max: MOST_AT_WORK, onError })
  const leases = createPool(database, { name, max: MOST_LEASES, onError })
  await migrateQueue(workPool)
  // An earlier run may have been killed before it had sent its events.
  await raiseFloor(workPool)
  // All locks are from a server that crashed.
  if (isAlone(options)) await unlockJobs(pool)
  const activity = createActivityLog({
    pool,
    onError: (err) => logger.error({ err }, 'Activities could not be written'),
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
    unlockUnregistered,
    onDeclaredDead() {
      duties.worker?.restart().catch((err: unknown) => logger.error({ err }, 'The job worker could not be restarted'))
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
  const { publicUrl, host, trustProxy, corsOrigins, avatarUrl } = config
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
  const readyChecks = createReadyChecks(pool, config, migrations)
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

function createReadyChecks(pool: pg.Pool, { bucket, dataDir }: Config, migrations: readonly Migration[]): ReadyChecks {
  return {
    database: () => ping(pool),
    migrations: () => checkMigrations(pool, migrations),
    ...(bucket
      ? { bucket: createBucketPing(bucket) }
      : { staging: () => access(join(dataDir, 'staging'), constants.W_OK) }),
  }
}
