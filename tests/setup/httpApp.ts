import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { createAccountsService } from '../../server/domain/accounts/service.ts'
import type { Events } from '../../server/domain/events.ts'
import { createGroupCloudsService } from '../../server/domain/groupClouds/service.ts'
import type { Enqueue, JobName } from '../../server/domain/jobs.ts'
import { createKeys } from '../../server/domain/keys/service.ts'
import type { Services } from '../../server/domain/services.ts'
import { createAdministrationService } from '../../server/domain/users/administration.ts'
import { createUsersService } from '../../server/domain/users/service.ts'
import { createHttpApp, type HttpDeps } from '../../server/http/app.ts'
import { createEncryption } from '../../server/lib/encryption.ts'
import { accountsDeps } from './accountsDeps.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'

export type TestHttp = {
  readonly url: string
  readonly app: FastifyInstance
  readonly database: TestDatabase
  readonly services: Services
  /** Jobs that were asked for; none of them runs. */
  readonly enqueued: readonly { readonly name: JobName; readonly input: unknown }[]
  /** Every line that was logged. */
  readonly logs: readonly string[]
  close(): Promise<void>
}

export const LOCAL_QUOTA_BYTES = 15 * 1024 ** 3

/** The real HTTP app on a free port of the loopback, over a database of its own, with what people and group clouds need. */
export async function startHttp(overrides: Partial<HttpDeps> = {}): Promise<TestHttp> {
  const database = await createTestDatabase()
  const { db, pool } = database
  const enqueued: { name: JobName; input: unknown }[] = []
  const enqueue: Enqueue = async (_tx, name, input) => {
    enqueued.push({ name, input })
  }
  const events: Events = {
    publish: () => {},
    subscribe: () => {
      throw new Error('These tests subscribe to nothing.')
    },
  }
  const encryption = createEncryption([randomBytes(32).toString('base64')])
  const keys = createKeys({
    pool,
    encryption,
    activity: { record: () => {} },
    events,
    rateLimit: null,
    onError: () => {},
  })
  const registration = 'OPEN'
  const administration = createAdministrationService({ pool, registration })
  const entry = { localQuotaBytes: LOCAL_QUOTA_BYTES, registration, administration } as const
  const services = {
    users: createUsersService({ db, pool, events, ...entry, encryption, isKeyLive: keys.isLive }),
    administration,
    keys: keys.service,
    accounts: createAccountsService(accountsDeps({ db, pool, events, enqueue })),
    groupClouds: createGroupCloudsService({ db, pool, events, enqueue }),
  } as Services
  const logs: string[] = []
  const app = await createHttpApp({
    services,
    logger: pino({ level: 'info' }, { write: (line: string) => logs.push(line) }),
    publicUrl: null,
    host: '127.0.0.1',
    trustProxy: false,
    graphql: async () => {},
    webDirectory: null,
    avatarUrl: null,
    readyChecks: {},
    ...overrides,
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const close = async () => {
    await app.close()
    await database.close()
  }
  return { url: `http://127.0.0.1:${port}`, app, database, services, enqueued, logs, close }
}
