import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { POLLER_LOCK } from '../../server/telegram/poller.ts'
import { type Emulators, startEmulators } from '../fakes/core/server.ts'
import { createGoogle } from '../fakes/google/google.ts'
import { createTelegram, TELEGRAM_BOT } from '../fakes/telegram/telegram.ts'
import { addressOf, createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { MIB } from './support/emulators.ts'
import { expectStatus, type Person, register, until } from './support/person.ts'
import { type ServerProcess, startProcess } from './support/process.ts'

/** One server that only answers requests, and two that only work, on one database and one data folder. */
const google = createGoogle()
const telegram = createTelegram()
const { commands } = telegram
const PROBE_LOCK = 0x70726f62
/** Far more than the 30 s that are promised: this machine may be slow. What it took is logged. */
const PATIENCE_SECONDS = 180

let emulators: Emulators
let database: TestDatabase
let dataDir: string
let web: ServerProcess
let workers: ServerProcess[]
let ada: Person

beforeAll(async () => {
  emulators = await startEmulators({ services: [google, telegram] })
  google.commands.addUser({ email: 'ada@example.com', name: 'Ada', quotaBytes: 1024 * MIB })
  for (const id of [1, 2, 3]) commands.addUser({ id })
  database = await createTestDatabase()
  dataDir = mkdtempSync(join(tmpdir(), 'skypool-duties-'))
  chmodSync(dataDir, 0o755)
  const start = (ROLES: string) =>
    startProcess(
      emulators.url,
      { DATABASE_URL: addressOf(database), LOG_LEVEL: 'info', TELEGRAM_BOT_TOKEN: TELEGRAM_BOT.token, ROLES },
      { dataDir },
    )
  web = await start('web')
  workers = await Promise.all([start('worker'), start('worker')])
  ada = await register(web.url)
}, 600_000)
afterAll(async () => {
  for (const server of [web, ...(workers ?? [])]) await server?.close()
  await database?.close()
  await emulators?.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await database.pool.query<Row>(text, values)).rows

/** The server that has the lock of a duty. */
async function holderOf(key: number): Promise<ServerProcess | undefined> {
  const rows = await query<{ name: string }>(
    `select a.application_name as name from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and l.objid = $1::int8::oid and l.granted and a.datname = current_database()`,
    [key],
  )
  return workers.find((server) => server.id() === rows[0]?.name.slice(-36))
}

const held = (key: number, by: (server: ServerProcess) => boolean = () => true) =>
  until(
    async () => (await holderOf(key)) ?? null,
    (server) => server !== null && by(server),
    PATIENCE_SECONDS,
  ) as Promise<ServerProcess>

/** Somebody asks the bot something that it answers once. */
async function ask(user: number): Promise<void> {
  const { body } = await expectStatus(200, ada.request('POST', '/api/v1/telegram-accounts/registration-code'))
  commands.pressStart({ user, link: body.deepLink })
}

const answersTo = (user: number) => commands.messages({ user }).length
const answered = (user: number) =>
  until(
    async () => answersTo(user),
    (count) => count > 0,
    PATIENCE_SECONDS,
  )

async function secondsOf(work: Promise<unknown>): Promise<number> {
  const since = performance.now()
  await work
  return Math.round((performance.now() - since) / 100) / 10
}

it('a web-only server has no part in the work, and what it receives is sent by the others', async () => {
  const [own] = await query<{ worker: string | null }>('select worker from servers where id = $1', [web.id()])
  expect(own).toEqual({ worker: null })
  for (const server of workers) {
    expect((await fetch(`${server.url}/health`)).status).toBe(200)
    expect((await fetch(`${server.url}/api/v1/auth/me`)).status).toBe(404)
    expect((await fetch(`${server.url}/graphql`, { method: 'POST' })).status).toBe(404)
    expect((await fetch(server.url)).status).toBe(404)
  }
  const poolId = await ada.pool([await ada.connect('google', 'ada@example.com')])
  const { body } = await expectStatus(201, ada.upload('Film.bin', randomBytes(300_000), poolId))
  const seconds = await secondsOf(
    until(
      async () => (await ada.file(body.id)).state,
      (state) => state === 'STORED',
      PATIENCE_SECONDS,
    ),
  )
  console.info(JSON.stringify({ uploadedAtWebAndStoredByWorker: seconds }))
  for (const key of [PROBE_LOCK, POLLER_LOCK]) expect(workers).toContain(await held(key))
})

/** The feed of the account was read after this moment. */
async function feedRead(): Promise<void> {
  const [before] = await query<{ at: string }>('select max(next_at)::text as at from account_feeds')
  const later = async () => query('select from account_feeds where next_at > $1::timestamptz', [before?.at])
  await until(later, (rows) => rows.length > 0, PATIENCE_SECONDS)
}

it('every duty of a server that is killed is found again by the other one', async () => {
  const took: Record<string, number> = {}
  for (const [name, key] of Object.entries({ probe: PROBE_LOCK, bot: POLLER_LOCK })) {
    const victim = await held(key)
    await victim.kill()
    const all = [
      held(key, (server) => server !== victim),
      feedRead(),
      // Cron: every worker queues jobs of each minute, once.
      name === 'bot' ? ask(2).then(() => answered(2)) : undefined,
    ]
    const [lock, feed, answer] = await Promise.all(all.map((each) => secondsOf(Promise.resolve(each))))
    took[name] = lock ?? 0
    took[`feedWithout_${name}`] = feed ?? 0
    if (name === 'bot') took.answer = answer ?? 0
    await victim.start()
  }
  console.info(JSON.stringify({ secondsAfterKill: took }))
  expect(answersTo(2)).toBe(1)
})

it('a server that was suspended does not repeat what another one has done', async () => {
  const frozen = await held(POLLER_LOCK)
  const frozenId = frozen.id()
  frozen.freeze()
  // Telegram hands it over to the one that stands still, and again to the next one that asks.
  await ask(3)
  const took = {
    bot: await secondsOf(held(POLLER_LOCK, (server) => server !== frozen)),
    probe: await secondsOf(held(PROBE_LOCK, (server) => server !== frozen)),
    answer: await secondsOf(answered(3)),
    feed: await secondsOf(feedRead()),
  }
  console.info(JSON.stringify({ secondsAfterFreeze: took }))
  frozen.thaw()
  const registered = async () => query('select from servers where id = $1 and worker is not null', [frozenId])
  await until(registered, (rows) => rows.length === 1, PATIENCE_SECONDS)
  await ask(1)
  await answered(1)
  expect([answersTo(3), answersTo(1)]).toEqual([1, 1])
  expect(await holderOf(POLLER_LOCK)).not.toBe(frozen)
  const crons = await query(
    `select identifier from graphile_worker._private_known_crontabs group by identifier having count(*) > 1`,
  )
  expect(crons).toEqual([])
})
