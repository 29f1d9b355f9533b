import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createUser } from '../factories/user.ts'
import { type Emulators, startEmulators } from '../fakes/core/server.ts'
import { createTelegram, TELEGRAM_BOT } from '../fakes/telegram/telegram.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

/** The whole server with a bot, and Telegram emulated. */
const PATH = '/api/v1/telegram-accounts'
const telegram = createTelegram()
const { commands } = telegram
let emulators: Emulators
let server: TestServer
let browser: Browser
let people = 4200

beforeAll(async () => {
  emulators = await startEmulators({ services: [telegram] })
  const config = { telegramBotToken: TELEGRAM_BOT.token, providerEmulatorUrl: new URL(emulators.url) }
  server = await startTestServer(config, { logLevel: 'trace' })
})
beforeEach(async () => {
  emulators.clearFaults()
  browser = await signIn()
})
afterAll(async () => {
  await server?.close()
  await emulators?.close()
})

async function signIn(): Promise<Browser> {
  return createBrowser(server.url, (await createUser(server.services.users)).token)
}

function newPerson(username: string | null = null): number {
  people += 1
  commands.addUser({ id: people, username })
  return people
}

const newCode = async (of = browser) => (await of.request('POST', `${PATH}/registration-code`)).body

/** Until the bot has answered for the `count`th time. */
const answers = (user: number, count = 1) =>
  vi.waitFor(() => {
    expect(commands.messages({ user }).length).toBeGreaterThanOrEqual(count)
    return commands.messages({ user })
  }, 120_000)

/** A code that this person has sent to the bot. */
async function confirmed(user: number, of = browser): Promise<string> {
  const { code, deepLink } = await newCode(of)
  const before = commands.messages({ user }).length
  commands.pressStart({ user, link: deepLink })
  expect((await answers(user, before + 1)).at(-1)).toMatch(/^Confirmed/)
  return code
}

const connect = (code: string, name = 'Mine', of = browser) => of.request('POST', PATH, { code, name })

describe('a Telegram account', () => {
  it('is connected by opening the bot with a code, and listed', async () => {
    const { status, body } = await browser.request('POST', `${PATH}/registration-code`)
    expect([status, body]).toEqual([
      200,
      {
        code: expect.stringMatching(/^[\w-]{22}$/),
        botUsername: TELEGRAM_BOT.username,
        deepLink: `https://t.me/${TELEGRAM_BOT.username}?start=${body.code}`,
        expiresAt: expect.any(String),
      },
    ])
    const minutes = (Date.parse(body.expiresAt) - Date.now()) / 60_000
    expect(minutes).toBeGreaterThan(9)
    expect(minutes).toBeLessThan(11)
    const user = newPerson('ada')
    commands.pressStart({ user, link: body.deepLink })
    expect(await answers(user)).toEqual(['Confirmed. Please go back to Skypool to finish.'])
    const made = await connect(body.code, ' Ada’s ')
    const account = { id: expect.stringMatching(/^tg_[0-9a-f]{32}$/), name: 'Ada’s', username: 'ada' }
    expect([made.status, made.body]).toEqual([201, { ...account, createdAt: expect.any(String) }])
    const list = await browser.request('GET', PATH)
    expect([list.status, list.body]).toEqual([200, { items: [made.body], nextCursor: null }])
    expect((await (await signIn()).request('GET', PATH)).body.items).toEqual([])
  })

  it('is connected by typing the code as well', async () => {
    const user = newPerson()
    commands.pressStart({ user, link: `https://t.me/${TELEGRAM_BOT.username}` })
    expect((await answers(user))[0]).toMatch(/^Please open the link/)
    const { code } = await newCode()
    commands.sendText({ user, text: code })
    expect((await answers(user, 2))[1]).toMatch(/^Confirmed/)
    expect((await connect(code)).body).toMatchObject({ username: null })
  })

  it('is connected once for each user here', async () => {
    const user = newPerson()
    await connect(await confirmed(user))
    const again = await connect(await confirmed(user))
    expect([again.status, again.body.code]).toEqual([409, 'ACCOUNT_CONNECTED'])
    const other = await signIn()
    expect((await connect(await confirmed(user, other), 'Ours', other)).status).toBe(201)
  })

  it('is confirmed anew by the same login, and by no other', async () => {
    const user = newPerson('before')
    const { id } = (await connect(await confirmed(user))).body
    commands.addUser({ id: user, username: 'after' })
    const put = (code: string, of = browser) => of.request('PUT', `${PATH}/${id}`, { code })
    const wrong = await put(await confirmed(newPerson()))
    expect([wrong.status, wrong.body.code]).toEqual([409, 'OTHER_LOGIN'])
    expect((await browser.request('GET', PATH)).body.items[0].username).toBe('before')
    const right = await put(await confirmed(user))
    expect([right.status, right.body]).toEqual([200, expect.objectContaining({ id, username: 'after', name: 'Mine' })])
    const said = async () => (await browser.request('GET', `/api/v1/activity?subjectId=${id}`)).body.items
    await expect.poll(said).toMatchObject([
      { action: 'ACCOUNT_RECONNECTED', subjectType: 'TelegramAccount', subjectId: id, subjectName: 'Mine' },
      { action: 'ACCOUNT_CONNECTED', sentence: 'You connected “Mine” (Telegram).' },
    ])
    const stranger = await signIn()
    expect((await put(await confirmed(user, stranger), stranger)).status).toBe(404)
  })
})

describe('a code', () => {
  const refused = { status: 400, body: expect.objectContaining({ code: 'AUTHORIZATION_FAILED' }) }

  it('counts once it has come to the bot, and only once', async () => {
    const { code } = await newCode()
    const early = await connect(code)
    expect(early).toMatchObject(refused)
    expect(early.body.detail).toMatch(/press Start/)
    const good = await confirmed(newPerson())
    const both = await Promise.all([connect(good), connect(good)])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 400])
  })

  it('of somebody else, or of nobody, is no code', async () => {
    const code = await confirmed(newPerson())
    expect(await connect(code, 'Stolen', await signIn())).toMatchObject(refused)
    expect(await connect('x'.repeat(22))).toMatchObject(refused)
    expect((await connect(code)).status).toBe(201)
  })

  it('ends after ten minutes, for the bot and for the page', async () => {
    const user = newPerson()
    const code = await confirmed(user)
    const { code: unsent } = await newCode()
    await server.pool.query(`update telegram_codes set expires_at = now() - interval '1 second'`)
    expect(await connect(code)).toMatchObject(refused)
    commands.sendText({ user, text: `/start ${unsent}` })
    expect((await answers(user, 2))[1]).toMatch(/older than ten minutes/)
    await server.housekeeping.forgetAuthorizations()
    expect((await server.pool.query('select from telegram_codes')).rowCount).toBe(0)
  })

  it('belongs to the first who sends it', async () => {
    const [first, second] = [newPerson('first'), newPerson('second')]
    const { code, deepLink } = await newCode()
    commands.pressStart({ user: first, link: deepLink })
    await answers(first)
    commands.pressStart({ user: second, link: deepLink })
    expect((await answers(second))[0]).toMatch(/^This code is unknown, used/)
    expect((await connect(code)).body.username).toBe('first')
  })

  it('is not taken from a group', async () => {
    const user = newPerson()
    const { code, deepLink } = await newCode()
    commands.pressStart({ user, link: `https://t.me/${TELEGRAM_BOT.username}` })
    await answers(user)
    commands.sendText({ user, text: new URL(deepLink).searchParams.get('start') ?? '', group: -4711 })
    commands.sendText({ user, text: 'hello' })
    await answers(user, 2)
    expect(await connect(code)).toMatchObject(refused)
  })

  it('is one of at most twenty that wait', async () => {
    for (let count = 0; count < 22; count += 1) await newCode()
    const { rows } = await server.pool.query(
      'select count(*)::int as count from telegram_codes where used_at is null group by user_id order by 1 desc limit 1',
    )
    expect(rows[0].count).toBe(20)
  })
})

describe('the bot', () => {
  it('passes over what is no message of a person, and messages from people it cannot answer', async () => {
    const user = newPerson()
    const { code, deepLink } = await newCode()
    commands.sendUpdate({ message: { nonsense: true } })
    commands.sendUpdate({ message: { text: code, from: { id: 'x' }, chat: { id: 1 } } })
    commands.sendUpdate({ message: { text: code, from: { id: 9, is_bot: true }, chat: { id: 9, type: 'private' } } })
    commands.pressStart({ user, link: deepLink })
    commands.block({ user })
    await vi.waitFor(() => expect(commands.pending()).toBe(0), 120_000)
    expect((await connect(code)).status).toBe(201)
  })

  it('goes on by itself after Telegram failed, and loses nothing', async () => {
    const user = newPerson()
    const { code, deepLink } = await newCode()
    emulators.plan({ service: 'telegram', operation: 'getUpdates', kind: 'serverError' })
    commands.pressStart({ user, link: deepLink })
    await vi.waitFor(() => expect(commands.messages({ user })).toHaveLength(1), 120_000)
    expect((await connect(code)).status).toBe(201)
  })

  it('is named once: codes need no Telegram after that', async () => {
    emulators.plan({ service: 'telegram', operation: 'getMe', kind: 'serverError', count: 0 })
    expect((await newCode()).botUsername).toBe(TELEGRAM_BOT.username)
  })

  it('does not let its token into the log, nor codes', async () => {
    const code = await confirmed(newPerson())
    await connect(code)
    const logged = server.logs.join('')
    expect(logged).toContain('Telegram')
    expect(logged).not.toContain(TELEGRAM_BOT.token.split(':')[1])
    expect(logged).not.toContain(code)
  })
})
