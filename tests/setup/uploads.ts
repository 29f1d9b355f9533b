import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { createServices } from '../../server/compose.ts'
import { createMessageQueue } from '../../server/db/events.ts'
import { createCredentialStore } from '../../server/domain/accounts/credentials.ts'
import { createActivityLog } from '../../server/domain/activity/log.ts'
import type { EventMap, Events } from '../../server/domain/events.ts'
import type { Enqueue, Housekeeping, JobName } from '../../server/domain/jobs.ts'
import type { Services } from '../../server/domain/services.ts'
import { readConfig } from '../../server/env.ts'
import { createHttpApp, type HttpDeps } from '../../server/http/app.ts'
import { createEncryption } from '../../server/lib/encryption.ts'
import { type LocalDriver, localDriver } from '../../server/providers/local/driver.ts'
import { createObjectStore, type ObjectStore } from '../../server/storage/objectStore.ts'
import { createThumbnailStore } from '../../server/storage/thumbnailStore.ts'
import { createThumbnailMaker } from '../../server/thumbnails/maker.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { createTestProviders } from './providers.ts'

export type Published = {
  [Topic in keyof EventMap]: { topic: Topic; userId: string; event: EventMap[Topic] }
}[keyof EventMap]

export type TestDomain = {
  readonly database: TestDatabase
  readonly dataDir: string
  readonly store: ObjectStore
  readonly local: LocalDriver
  readonly services: Services
  readonly housekeeping: Housekeeping
  readonly published: Published[]
  /** Enqueued jobs; none of them runs. */
  readonly enqueued: readonly { readonly name: JobName; readonly input: unknown }[]
  /** Errors that no caller received. */
  readonly errors: unknown[]
  /** Starts a new process on the same database and folder, with empty caches. */
  restart(): Promise<Pick<TestDomain, 'services' | 'housekeeping' | 'store' | 'local'>>
  close(): Promise<void>
}

export type DomainOptions = {
  readonly acceptAnyType?: boolean
  /** Used instead of a new folder in the temp folder, which is removed at the end. */
  readonly dataDir?: string
  readonly localQuotaBytes?: number
}

/** The whole domain with a separate database and folder; its events are collected instead of sent. */
export async function startDomain(options: DomainOptions = {}): Promise<TestDomain> {
  const database = await createTestDatabase()
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'skypool-uploads-')))
  const published: Published[] = []
  const errors: unknown[] = []
  const enqueued: { name: JobName; input: unknown }[] = []
  const enqueue: Enqueue = async (_tx, name, input) => {
    enqueued.push({ name, input })
  }
  const events: Events = {
    publish: (topic, userId, event) => published.push({ topic, userId, event } as Published),
    subscribe: (_topic, _userId, signal) => createMessageQueue({ signal, combine: (_, newer) => newer, onEnd() {} }),
  }
  const maker = createThumbnailMaker()
  const start = async () => {
    const store = await createObjectStore(dataDir)
    const { rateLimit, registration } = readConfig({})
    const localQuotaBytes = options.localQuotaBytes ?? null
    const config = { localQuotaBytes, acceptAnyType: options.acceptAnyType ?? false, rateLimit, registration }
    const { pool, db } = database
    const onError = (error: unknown) => errors.push(error)
    const encryption = createEncryption([randomBytes(32).toString('base64')])
    const providers = createTestProviders(
      [],
      createCredentialStore({ pool, leases: pool, encryption, onExpired: () => {} }),
    )
    const local = localDriver(store)
    const mailer = { send: async () => {}, forget: async () => {} }
    const siteUrl = () => 'http://127.0.0.1'
    const activity = createActivityLog({ pool, onError })
    const own = {
      pool,
      leases: pool,
      wakeOthers: null,
      alone: true,
      db,
      store,
      local,
      events,
      enqueue,
      activity,
      mailer,
      siteUrl,
      onError,
      extractText: maker.extract,
      thumbnails: {
        store: createThumbnailStore({ dataDir, limitBytes: null, space: { take() {} }, onError }),
        maker,
      },
    }
    return {
      store,
      local,
      activity,
      ...createServices({
        ...own,
        workPool: own.pool,
        config,
        encryption,
        providers,
        telegramBot: null,
        feedEveryMs: 30_000,
        afterChange: async () => {},
      }),
    }
  }
  return {
    database,
    dataDir,
    published,
    enqueued,
    errors,
    ...(await start()),
    restart: start,
    async close() {
      maker.close()
      await database.close()
      if (!options.dataDir) await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** The HTTP app over such a domain, on a free port of the loopback. */
export async function startUploadsHttp(options: DomainOptions = {}, http: Partial<HttpDeps> = {}) {
  const domain = await startDomain(options)
  const app = await createHttpApp({
    services: domain.services,
    logger: pino({ level: 'silent' }),
    publicUrl: null,
    host: '127.0.0.1',
    trustProxy: false,
    graphql: async () => {},
    webDirectory: null,
    avatarUrl: null,
    readyChecks: {},
    ...http,
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const close = async () => {
    await app.close()
    await domain.close()
  }
  return { ...domain, app, port, url: `http://127.0.0.1:${port}`, close }
}

/** Bytes `start` to `end` inclusive of an object. */
export async function readObject(store: ObjectStore, id: string, start: number, end: number): Promise<Buffer> {
  const range = store.open(id, end + 1).read(start, end)
  return Buffer.concat(await range.toArray())
}
