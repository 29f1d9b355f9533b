import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { type Emulators, startEmulators } from '../../fakes/core/server.ts'
import { createTelegram, TELEGRAM_BOT, type TelegramService } from '../../fakes/telegram/telegram.ts'

let telegram: TelegramService
let emulators: Emulators

beforeAll(async () => {
  telegram = createTelegram()
  emulators = await startEmulators({ services: [telegram] })
})
beforeEach(() => {
  telegram.commands.addUser({ id: 7, username: 'ada' })
  telegram.commands.setWebhook({ url: null })
})
afterAll(() => emulators?.close())

async function ask(method: string, body?: object | URLSearchParams, token = TELEGRAM_BOT.token) {
  const isForm = body instanceof URLSearchParams
  const response = await fetch(`${emulators.url}/@api.telegram.org/bot${token}/${method}`, {
    method: body ? 'POST' : 'GET',
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
    ...(body && !isForm && { headers: { 'content-type': 'application/json' } }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  return (await response.json()) as any
}

const link = `https://t.me/${TELEGRAM_BOT.username}?start=abc_-9`
const refusal = (code: number, description: RegExp) => ({
  ok: false,
  error_code: code,
  description: expect.stringMatching(description),
})

it('knows one bot, by its token', async () => {
  expect((await ask('getMe')).result).toMatchObject({ is_bot: true, username: TELEGRAM_BOT.username })
  expect((await ask('GETME')).ok).toBe(true)
  expect(await ask('getMe', undefined, '1:other')).toEqual(refusal(401, /^Unauthorized$/))
  expect(await ask('getMe', undefined, 'nonsense')).toEqual(refusal(404, /^Not Found$/))
  expect(await ask('getYou')).toEqual(refusal(404, /^Not Found$/))
})

it('keeps updates until a later one is asked for', async () => {
  telegram.commands.pressStart({ user: 7, link })
  telegram.commands.sendText({ user: 7, text: 'hello' })
  const [first, second] = (await ask('getUpdates')).result
  const from = { id: 7, is_bot: false, first_name: 'Ada', username: 'ada' }
  expect(first.message).toMatchObject({ text: '/start abc_-9', from, chat: { id: 7, type: 'private' } })
  expect(second.update_id).toBe(first.update_id + 1)
  expect((await ask('getUpdates', { limit: 1 })).result).toEqual([first])
  expect((await ask('getUpdates', new URLSearchParams({ offset: String(second.update_id) }))).result).toEqual([second])
  expect((await ask(`getUpdates?offset=${second.update_id + 1}`)).result).toEqual([])
  expect(telegram.commands.pending()).toBe(0)
})

it('lets one question wait, which ends when another comes, or news', async () => {
  const asked = () => vi.waitFor(() => expect(telegram.commands.isAsked().asked).toBe(true), 120_000)
  const first = ask('getUpdates', { timeout: 20 })
  await asked()
  const second = ask('getUpdates', { timeout: 20 })
  expect(await first).toEqual(refusal(409, /^Conflict: terminated by other getUpdates request/))
  await asked()
  telegram.commands.pressStart({ user: 7, link })
  expect((await second).result).toHaveLength(1)
  telegram.commands.setWebhook({ url: 'https://example.org' })
  expect(await ask('getUpdates')).toEqual(refusal(409, /while webhook is active/))
})

it('writes to people who have pressed Start and not blocked it', async () => {
  const send = (text: unknown, chat_id: unknown = 7) => ask('sendMessage', { chat_id, text })
  expect(await send('hi')).toEqual(refusal(400, /chat not found/))
  telegram.commands.pressStart({ user: 7, link })
  expect((await send('hi')).result).toMatchObject({ chat: { id: 7 }, text: 'hi' })
  expect(telegram.commands.messages({ user: 7 })).toEqual(['hi'])
  expect(await send('')).toEqual(refusal(400, /message text is empty/))
  expect(await send('x'.repeat(4097))).toEqual(refusal(400, /message is too long/))
  expect(await send('hi', '')).toEqual(refusal(400, /chat_id is empty/))
  telegram.commands.block({ user: 7 })
  expect(await send('hi')).toEqual(refusal(403, /blocked by the user/))
})

it('takes no deep link that Telegram would not take', () => {
  const press = (address: string) => () => telegram.commands.pressStart({ user: 7, link: address })
  expect(press('https://t.me/AnotherBot?start=a')).toThrow('no bot')
  expect(press(`https://t.me/${TELEGRAM_BOT.username}?start=a.b`)).toThrow('at most 64')
  expect(press(`https://t.me/${TELEGRAM_BOT.username}?start=${'a'.repeat(65)}`)).toThrow('at most 64')
})

it('asks to wait when told to', async () => {
  emulators.plan({ service: 'telegram', kind: 'rateLimit', retryAfter: 3 })
  expect(await ask('getMe')).toEqual({ ...refusal(429, /retry after 3/), parameters: { retry_after: 3 } })
})
