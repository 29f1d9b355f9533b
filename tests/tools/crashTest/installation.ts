import { chmodSync, mkdirSync, readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import {
  type Connection,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../server/db/embedded/embeddedPostgres.ts'
import { type Emulators, startEmulators } from '../../fakes/core/server.ts'
import { createGoogle, GOOGLE_CLIENT } from '../../fakes/google/google.ts'
import { prepareStore, startStore } from '../../fakes/s3/store.ts'
import type { RealS3Server } from '../../fakes/s3/swift.ts'
import { createTelegram, TELEGRAM_BOT } from '../../fakes/telegram/telegram.ts'
import { type Balancer, startBalancer } from '../../setup/balancer.ts'
import { type Bucket, bucketOf } from '../../setup/sharedStorage.ts'
import { crashPostgres, createVictim, type Victim } from './victim.ts'

/** Several servers behind nginx on one database, with a shared folder or a bucket, and services for the duties that one of them has. */
export type Installation = {
  /** Of nginx, which asks the servers in turn. */
  readonly url: string
  readonly servers: readonly Victim[]
  readonly connection: Connection
  readonly emulators: Emulators
  /** Of each server, or the one that they share. */
  readonly dataDirs: readonly string[]
  /** Null: the folder is shared. */
  readonly bucket: Bucket | null
  /** It quits as in a crash and comes back at once. */
  crashDatabase(): void
  /** The same of the store. Null: there is none. */
  readonly crashStore: (() => Promise<void>) | null
  /**
   * Ends all servers at once and starts them again, until those that died are out of the register, and then one of them once more,
   * which sweeps: what is unfinished is older by then than anything that a request could still be writing.
   */
  sweep(): Promise<void>
  close(): Promise<void>
}

export type InstallationOptions = {
  readonly dir: string
  readonly servers: number
  readonly storage: 'folder' | 's3'
}

/** The person whose account has a feed. */
export const PERSON = 'ada@example.com'
const HOUR_S = 3_600
const REGISTERED_WITHIN_MS = 300_000

export async function startInstallation({ dir, servers: count, storage }: InstallationOptions): Promise<Installation> {
  const closing: (() => Promise<void>)[] = []
  const close = async () => {
    for (const each of closing.toReversed()) await each()
    closing.length = 0
  }
  chmodSync(dir, 0o755)
  try {
    const postgresDir = folder(dir, 'database')
    const postgres: EmbeddedPostgres = await startEmbeddedPostgres({ dataDir: postgresDir })
    closing.push(() => postgres.stop())
    const google = createGoogle()
    google.commands.addUser({ email: PERSON, name: 'Ada', quotaBytes: 1024 ** 3 })
    const emulators = await startEmulators({ services: [google, createTelegram()] })
    closing.push(() => emulators.close())
    const store = storage === 's3' ? await startCrashableStore() : null
    if (store) closing.push(() => store.close())
    const shared = store ? await bucketOf(store) : null
    const names = shared ? Array.from({ length: count }, (_, index) => `data-${index + 1}`) : ['data']
    const dataDirs = names.map((name) => folder(dir, name))
    const env = {
      ...shared?.settings,
      DATABASE_URL: addressOf(postgres.connection),
      PROVIDER_EMULATOR_URL: emulators.url,
      GOOGLE_CLIENT_ID: GOOGLE_CLIENT.id,
      GOOGLE_CLIENT_SECRET: GOOGLE_CLIENT.secret,
      TELEGRAM_BOT_TOKEN: TELEGRAM_BOT.token,
      ACCOUNT_POLL_SECONDS: '1',
      AVATAR_URL: 'http://127.0.0.1:9/',
      // Their database is crashed under them.
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
    }
    const servers: Victim[] = []
    for (let index = 0; index < count; index += 1) {
      const server = await createVictim(dataDirs[index] ?? dataDirs[0] ?? '', env)
      closing.push(() => server.stop())
      await server.start()
      servers.push(server)
    }
    const balancer: Balancer = await startBalancer(
      servers.map(({ url }) => url),
      { passesOn: true },
    )
    closing.push(() => balancer.close())
    return {
      url: balancer.url,
      servers,
      connection: postgres.connection,
      emulators,
      dataDirs,
      bucket: shared?.bucket ?? null,
      crashDatabase: () => crashPostgres(postgresDir),
      crashStore: store && (() => store.crash()),
      async sweep() {
        for (const server of servers) await server.kill()
        for (const server of servers) await server.start()
        await untilRegistered(postgres.connection, count)
        await ageRows(postgres.connection)
        if (!shared) ageStaging(dataDirs[0] ?? '')
        await servers[0]?.stop()
        await servers[0]?.start()
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function folder(dir: string, name: string): string {
  const path = join(dir, name)
  mkdirSync(path, { recursive: true })
  chmodSync(path, 0o755)
  return path
}

/** @throws Error where there is no real store: the emulator could not be restarted without losing what it holds */
async function startCrashableStore(): Promise<RealS3Server> {
  const reason = await prepareStore()
  if (reason !== null) throw new Error(`There is no store to crash: ${reason}`)
  return startStore()
}

/** Until the servers that died are out of the register, which is after half a minute. */
async function untilRegistered(connection: Connection, count: number): Promise<void> {
  const database = new pg.Client(connection)
  await database.connect()
  try {
    for (const limit = Date.now() + REGISTERED_WITHIN_MS; Date.now() < limit; await sleep(500)) {
      if ((await database.query('select from servers')).rowCount === count) return
    }
    throw new Error('Servers that died are still in the register.')
  } finally {
    await database.end()
  }
}

/** As if the last byte of each unfinished object had come an hour ago. */
function ageStaging(dataDir: string): void {
  const staging = join(dataDir, 'staging')
  const then = Date.now() / 1000 - HOUR_S
  for (const name of readdirSync(staging)) if (!name.startsWith('.')) utimesSync(join(staging, name), then, then)
}

/** The same for the rows of uploads and of unfinished objects in a bucket. */
async function ageRows(connection: Connection): Promise<void> {
  const database = new pg.Client(connection)
  await database.connect()
  try {
    await database.query('update staged_objects set touched_at = touched_at - make_interval(secs => $1)', [HOUR_S])
    await database.query('update uploads set expires_at = expires_at - make_interval(secs => $1)', [HOUR_S])
  } finally {
    await database.end()
  }
}

/** As DATABASE_URL names it. */
function addressOf({ host, port, user, database }: Connection): string {
  return `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`
}
