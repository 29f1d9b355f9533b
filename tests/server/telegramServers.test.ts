import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { createLeaderLock } from '../../server/db/locks.ts'
import { createLogger } from '../../server/lib/logger.ts'
import { createHttp } from '../../server/providers/shared/http.ts'
import { createBotApi } from '../../server/telegram/api.ts'
import { POLLER_LOCK, type Poller, startPoller } from '../../server/telegram/poller.ts'
import { createUser } from '../factories/user.ts'
import { type Emulators, startEmulators } from '../fakes/core/server.ts'
import { createTelegram, TELEGRAM_BOT } from '../fakes/telegram/telegram.ts'
import { createBrowser } from '../setup/browser.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { startTestServer } from '../setup/server.ts'

/** Servers side by side, and servers whose bot does not work. */
const telegram = createTelegram()
const { commands } = telegram
let emulators: Emulators
let database: TestDatabase
const pollers: Poller[] = []
const logs: string[] = []

beforeAll(async () => {
  emulators = await startEmulators({ services: [telegram] })
  database = await createTestDatabase()
  commands.addUser({ id: 1 })
})
afterEach(async () => {
  await Promise.all(pollers.splice(0).map((poller) => poller.stop()))
  emulators.clearFaults()
  logs.length = 0
})
afterAll(async () => {
  await database?.close()
  await emulators?.close()
})

const api = (token = TELEGRAM_BOT.token) =>
  createBotApi({ http: createHttp({ emulatorUrl: new URL(emulators.url) }), token, pollSeconds: 5 })

/** As in one more process: with a lock of its own. */
function poller(heard: string[], token?: string, fail = () => false): Poller {
  const inbox = {
    receive: async ({ text }: { text: string }) => {
      if (fail()) throw new Error('The database is away.')
      heard.push(text)
      return null
    },
  }
  const started = startPoller({
    api: api(token),
    inbox,
    lock: createLeaderLock(database.pool, POLLER_LOCK),
    logger: createLogger('trace', { write: (line: string) => logs.push(line) }),
    pauses: { lockMs: 20, firstMs: 20, longestMs: 50 },
  })
  pollers.push(started)
  return started
}

const say = (text: string) =>
  commands.pressStart({ user: 1, link: `https://t.me/${TELEGRAM_BOT.username}?start=${text}` })
const isAsked = () => vi.waitFor(() => expect(commands.isAsked().asked).toBe(true), 120_000)

it('of two servers one asks, and the other goes on when it ends', async () => {
  const [one, other]: string[][] = [[], []]
  const first = poller(one ?? [])
  await isAsked()
  poller(other ?? [])
  await sleep(80)
  say('a')
  await vi.waitFor(() => expect(one).toEqual(['/start a']), 120_000)
  expect(emulators.log().filter(({ status }) => status === 409)).toEqual([])
  // What is not confirmed comes again.
  await vi.waitFor(() => expect(commands.pending()).toBe(0), 120_000)
  await first.stop()
  say('b')
  await vi.waitFor(() => expect(other).toEqual(['/start b']), 120_000)
  await vi.waitFor(() => expect(commands.pending()).toBe(0), 120_000)
})

it('what could not be taken comes again', async () => {
  const heard: string[] = []
  let failures = 2
  poller(heard, undefined, () => failures-- > 0)
  say('c')
  say('d')
  await vi.waitFor(() => expect(heard).toEqual(['/start c', '/start d']), 120_000)
  await vi.waitFor(() => expect(commands.pending()).toBe(0), 120_000)
  expect(logs.filter((line) => line.includes('Processing a message to the Telegram bot failed'))).toHaveLength(1)
})

it('a bot that serves somebody else is said, and asked again later', async () => {
  commands.setWebhook({ url: 'https://elsewhere.example.org' })
  const heard: string[] = []
  poller(heard)
  await vi.waitFor(() => expect(logs.join()).toContain('Another program polls the messages'), 120_000)
  commands.setWebhook({ url: null })
  say('e')
  await vi.waitFor(() => expect(heard).toEqual(['/start e']), 120_000)
  await vi.waitFor(() => expect(commands.pending()).toBe(0), 120_000)
})

it('a wait that Telegram asks for is kept', async () => {
  emulators.plan({ service: 'telegram', operation: 'getUpdates', kind: 'rateLimit', retryAfter: 1 })
  emulators.resetLog()
  const heard: string[] = []
  poller(heard)
  say('f')
  await vi.waitFor(() => expect(heard).toEqual(['/start f']), 120_000)
  const times = (wanted: number) =>
    emulators.log().flatMap(({ status, at }) => (status === wanted ? [Date.parse(at)] : []))
  const refused = times(429)[0] ?? 0
  expect((times(200).find((at) => at >= refused) ?? 0) - refused).toBeGreaterThan(900)
})

it('a token that Telegram does not know is said once, without it', async () => {
  const heard: string[] = []
  poller(heard, '1:AAsecretOfAnotherBot0000000')
  await vi.waitFor(
    () => expect(emulators.log().filter(({ status }) => status === 401).length).toBeGreaterThan(2),
    20_000,
  )
  expect(logs.filter((line) => line.includes('does not accept TELEGRAM_BOT_TOKEN'))).toHaveLength(1)
  expect(logs.join()).not.toContain('AAsecret')
})

it.each([
  ['without a bot', null, 409, 'PROVIDER_UNAVAILABLE'],
  ['with a token that Telegram does not know', '1:AAsecretOfAnotherBot0000000', 409, 'PROVIDER_UNAVAILABLE'],
  ['while Telegram is away', TELEGRAM_BOT.token, 502, 'PROVIDER_FAILED'],
])('%s there is no code, and the page is told why', async (_when, telegramBotToken, status, code) => {
  if (status === 502) emulators.plan({ service: 'telegram', kind: 'serverError', count: 0 })
  const config = { telegramBotToken, providerEmulatorUrl: new URL(emulators.url) }
  const server = await startTestServer(config)
  try {
    const browser = createBrowser(server.url, (await createUser(server.services.users)).token)
    const path = '/api/v1/telegram-accounts'
    const answer = await browser.request('POST', `${path}/registration-code`)
    expect([answer.status, answer.body.code]).toEqual([status, code])
    expect(answer.body.detail).not.toContain('AA')
    expect((await browser.request('GET', path)).body).toEqual({ items: [], nextCursor: null })
    if (telegramBotToken !== null) return
    const connected = await browser.request('POST', path, { code: 'any', name: 'Mine' })
    expect([connected.status, connected.body.detail]).toEqual([409, expect.stringContaining('TELEGRAM_BOT_TOKEN')])
    const put = await browser.request('PUT', `${path}/tg_${'0'.repeat(32)}`, { code: 'any' })
    expect(put.status).toBe(409)
  } finally {
    await server.close()
  }
})
