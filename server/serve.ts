import { join } from 'node:path'
import type pg from 'pg'
import { createServices, type Domain, type ProvidersDeps } from './compose.ts'
import { createDb, type Db } from './db/client.ts'
import { createEvents, type EventHub, raiseFloor } from './db/events.ts'
import type { LockSession } from './db/locks.ts'
import { checkMigrations, type Migration, migrate } from './db/migrate.ts'
import { type DatabaseAddress, ping } from './db/pool.ts'
import { createPools } from './db/pools.ts'
import { connectionName, createRegister, type Register, type RegisterTimes, reliedMs } from './db/servers.ts'
import { createSharedLimits, type SharedLimits } from './db/sharedLimits.ts'
import { createCredentialStore } from './domain/accounts/credentials.ts'
import { createAfterChange } from './domain/accounts/health.ts'
import { storePoolUses } from './domain/accounts/rows.ts'
import { type ActivityRecorder, createActivityLog } from './domain/activity/log.ts'
import { type Duty, EVERY_SERVER } from './domain/events.ts'
import { ACCEPTED_TYPES } from './domain/files/content/types.ts'
import { setTotalQuota } from './domain/groupClouds/members.ts'
import type { Housekeeping } from './domain/jobs.ts'
import { openEncryption } from './domain/secrets/rotateKeys.ts'
import type { Services } from './domain/services.ts'
import type { TelegramBot } from './domain/telegram/service.ts'
import { type Duties, startDuties } from './duties.ts'
import type { Config } from './env.ts'
import { graphqlPlugin } from './graphql/plugin.ts'
import { createHttpApp, createWorkerApp } from './http/app.ts'
import type { ReadyChecks } from './http/lifecycle.ts'
import { ALL_TASKS, attemptsOf } from './jobs/allTasks.ts'
import type { Task } from './jobs/task.ts'
import type { Encryption } from './lib/encryption.ts'
import type { Logger } from './lib/logger.ts'
import { prepareSavableSha256 } from './lib/savableSha256.ts'
import type { Mailer } from './mail/mailer.ts'
import { openMailer } from './mail/openMailer.ts'
import { checkStorage, openStorage, requireStorage, storageChecks } from './openStorage.ts'
import { localDriver } from './providers/local/driver.ts'
import type { Providers } from './providers/providers.ts'
import { createHttp } from './providers/shared/http.ts'
import { createEnqueue, migrateQueue, unlockJobs, unlockJobsOf, unlockUnregistered } from './queue/enqueue.ts'
import { createDeviceCookie, createProofCookie, createSessionCookie } from './rest/cookies.ts'
import { createSite } from './site.ts'
import { createDiskSpace, type DiskSpace } from './storage/diskSpace.ts'
import { createThumbnailStore } from './storage/thumbnailStore.ts'
import { type BotApi, createBotApi } from './telegram/api.ts'
import { openTelemetry, type Telemetry } from './telemetry/telemetry.ts'
import { createThumbnailMaker, type ThumbnailMaker } from './thumbnails/maker.ts'

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
  /** Address of `/metrics`; null: not served. */
  readonly metricsUrl: string | null
  readonly services: Services
  readonly housekeeping: Housekeeping
  readonly pool: pg.Pool
  /** Reads due change feeds of accounts now. @returns as AccountFeed.tick */
  readonly readFeeds: Domain['feed']['tick']
  /** Id in the register of servers. */
  readonly id: string
  /** Waits for requests (up to 10 s), then jobs, then closes connections. */
  close(): Promise<void>
}

/** Starts the server in this process: migrates the database, cleans up after a crash, starts background work and listens. */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { config, logger } = options
  const storages = await checkStorage(config)
  if (!isAlone(options)) await prepareSavableSha256()
  const telemetry = await openTelemetry(options)
  const state: State = { duties: null, receiving: () => [], limits: null, storages }
  const base = await connect(options, state)
  const { pool } = base
  telemetry.pools({ requests: pool, work: base.workPool, refreshes: base.refreshPool })
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
  const maker = telemetry.maker(createThumbnailMaker())
  const parts = { encryption, telegramBot: bot, siteUrl: site.url, space, maker, telemetry }
  const domain = await openDomain(options, base, parts)
  const { services, housekeeping, feed, looks, keyUsage, copying } = domain
  const { register } = base
  state.receiving = domain.receiving
  await register.start()
  await requireStorage(base.workPool, config, storages).catch(async (error: unknown) => {
    await disconnect(base)
    throw error
  })
  const tasks = telemetry.tasks(options.tasks ?? ALL_TASKS)
  if (config.roles.has('worker')) {
    const onWorkerName = register.setWorker
    state.duties = await startDuties({ ...base, domain, encryption, tasks, bot, logger, onWorkerName })
  } else {
    base.events.publish('dutyDue', EVERY_SERVER, { duty: 'keyRotation' })
  }
  space.start()
  keyUsage.start()
  const app = await createApp(options, { ...base, services, telemetry })
  const url = await app.listen({ host: config.host, port: config.port })
  site.listensAt(url)
  const metricsUrl = await telemetry.listen()
  return {
    url,
    metricsUrl,
    services,
    housekeeping,
    pool,
    readFeeds: feed.tick,
    id: register.id,
    async close() {
      // At once: other servers get the requests, and what this one has leased.
      const closed = Promise.all([app.close(), state.duties?.stop()])
      // Requests that wait for copies end, so that they do not delay the shutdown.
      await copying.stop()
      maker.close()
      await closed
      await looks.close()
      await keyUsage.stop()
      space.stop()
      await disconnect(base)
      await telemetry.close()
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
  readonly telemetry: Telemetry
}

async function openDomain(options: ServeOptions, base: Base, parts: DomainParts): Promise<Domain> {
  const { encryption, telegramBot, siteUrl, space, maker, telemetry } = parts
  const { config, logger, openProviders } = options
  const onError = (err: unknown) => logger.error({ err }, 'An error occurred after a response was sent')
  const onStateOmitted = (use: object) =>
    logger.info(use, 'An authorization was completed without its state; the newest one of the session was used')
  const enqueue = createEnqueue(attemptsOf)
  const { dataDir, thumbnailsLimitBytes: limitBytes } = config
  const bytes = await openStorage(config, {
    ...{ pool: base.pool, space },
    limits: { reliedMs: reliedMs(options.registerTimes) },
  })
  const store = telemetry.store(bytes)
  const afterChange = createAfterChange({ ...base, pool: base.workPool, enqueue })
  const onExpired = (accountId: string) => void afterChange(accountId, { expired: true }).catch(onError)
  const credentials = createCredentialStore({ ...base, leases: base.refreshPool, encryption, onExpired })
  const local = localDriver(store)
  const limits = base.limits?.accounts ?? null
  const { layer } = telemetry
  const providers = openProviders({ config, credentials, store, local, logger, limits, layer })
  await storePoolUses(base.pool, providers)
  const mailer = whileRegistered(openMailer(config, logger), base.register)
  const wakeOthers = (duty: Duty) => base.events.publish('dutyDue', EVERY_SERVER, { duty })
  const told = {
    ...{ onError, onStateOmitted, alone: isAlone(options) },
    wakeOthers: config.roles.has('worker') ? null : wakeOthers,
  }
  const feedEveryMs = options.feedEveryMs ?? config.accountPollMs
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
  return createServices({ ...base, ...made, serverId: base.register.id, feedEveryMs, config })
}

/** State of the running server that its register reads. */
type State = {
  duties: Duties | null
  receiving: () => readonly string[]
  limits: SharedLimits | null
  /** Two storages that it uses while files are moved. */
  readonly storages: string | null
}

/** A job that was suspended in a server that counts as dead has been run by another one: it must not send its mail as well. */
function whileRegistered(mailer: Mailer, register: Register): Mailer {
  return {
    ...mailer,
    async send(mail) {
      if (!register.isCurrent()) throw new Error('This server was suspended, and others have taken over its work.')
      await mailer.send(mail)
    },
  }
}

/** Only one server uses an embedded database. */
function isAlone({ alone, database }: ServeOptions): boolean {
  return alone ?? typeof database !== 'string'
}

type Base = {
  readonly register: Register
  readonly pool: pg.Pool
  /** For jobs and follow-ups of account changes: without statement timeouts. */
  readonly workPool: pg.Pool
  readonly queuePool: pg.Pool
  /** For credentials that are being refreshed. */
  readonly refreshPool: pg.Pool
  /** Holds all leases and locks of duties. */
  readonly leases: LockSession
  readonly db: Db
  readonly events: EventHub
  readonly activity: ActivityRecorder
  /** Ends the pools. */
  readonly endPools: () => Promise<void>
  /** Null: this server is alone, and counts in memory. */
  readonly limits: SharedLimits | null
}

async function connect(options: ServeOptions, state: State): Promise<Base> {
  const { config, database, migrations, logger } = options
  const direct = config.databaseDirectUrl ?? database
  const applied = await migrate(direct, migrations)
  if (applied.length > 0) logger.info({ migrations: applied }, 'The database was migrated')
  const register = openRegister(options, direct, state)
  // While a pool ends, the database may close its last connections first. The error contains the whole client: only its message is logged.
  const onError = ({ message }: Error) =>
    pools.isEnding() || logger.warn({ reason: message }, 'A database connection broke')
  const { databaseDirectUrl, databasePool: most } = config
  const pools = createPools({ address: database, direct: databaseDirectUrl, most, serverId: register.id, onError })
  const { pool, workPool } = pools
  await migrateQueue(pools.queuePool)
  // An earlier run may have been killed before it had sent its events.
  await raiseFloor(workPool)
  // All locks are from a server that crashed.
  if (isAlone(options)) await unlockJobs(pool)
  const activity = createActivityLog({
    pool,
    onError: (err) => logger.error({ err }, 'Activities could not be written'),
  })
  const limits = isAlone(options) ? null : await openLimits(options, direct, register, pool)
  state.limits = limits
  const heard = { pool, address: direct, logger, name: connectionName('skypool-events', register.id) }
  const events = await createEvents(heard)
  return { ...pools, register, db: createDb(pool), events, activity, limits, endPools: pools.end }
}

/** `address`: for its own connection, which listens. */
function openLimits({ logger }: ServeOptions, address: DatabaseAddress, register: Register, pool: pg.Pool) {
  const { id: serverId, servers } = register
  const name = connectionName('skypool-limits', serverId)
  return createSharedLimits({ pool, address, logger, serverId, servers, name })
}

function openRegister(options: ServeOptions, address: DatabaseAddress, state: State): Register {
  const { logger, registerTimes: times = {} } = options
  return createRegister({
    address,
    logger,
    times,
    alone: isAlone(options),
    receiving: () => state.receiving(),
    storages: state.storages,
    unlock: unlockJobsOf,
    unlockUnregistered,
    async onDeclaredDead() {
      state.limits?.onDeclaredDead()
      await state.duties?.worker
        .restart()
        .catch((err: unknown) => logger.error({ err }, 'The job worker could not be restarted'))
    },
  })
}

async function disconnect({ register, events, db, activity, limits, endPools }: Base): Promise<void> {
  await activity.flush()
  await events.close()
  await limits?.close()
  await register.close()
  await db.$disconnect()
  await endPools()
}

type AppParts = Pick<Base, 'pool' | 'db' | 'events' | 'limits'> & {
  readonly services: Services
  readonly telemetry: Telemetry
}

function createApp(options: ServeOptions, { pool, db, events, limits, services, telemetry }: AppParts) {
  const { config, logger, persisted, version, webDirectory, migrations } = options
  const { publicUrl, host, trustProxy, corsOrigins, avatarUrl } = config
  const graphql = graphqlPlugin({
    services,
    db,
    events,
    server: { version, uploadTypes: config.acceptAnyType ? null : ACCEPTED_TYPES, mail: config.smtpUrl !== null },
    slots: limits?.slots ?? null,
    persisted,
    sessionCookie: createSessionCookie(publicUrl?.protocol === 'https:'),
    proofCookie: createProofCookie(publicUrl?.protocol === 'https:'),
    deviceCookie: createDeviceCookie(publicUrl?.protocol === 'https:'),
    logger,
  })
  const readyChecks = createReadyChecks(pool, config, migrations)
  if (!config.roles.has('web')) return createWorkerApp({ logger, readyChecks })
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
    watch: telemetry.requests,
    followsCauses: telemetry.followsCauses,
  })
}

function createReadyChecks(pool: pg.Pool, config: Config, migrations: readonly Migration[]): ReadyChecks {
  return {
    database: () => ping(pool),
    migrations: () => checkMigrations(pool, migrations),
    ...storageChecks(config),
  }
}
