import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHttp } from '../../../server/providers/shared/http.ts'
import { telegramErrorCode } from '../../../server/providers/telegram/errors.ts'
import { telegramModule } from '../../../server/providers/telegram/module.ts'
import { bytesOf, call, expectSame, put, read, rejection } from '../../conformance/kit.ts'
import { type TelegramStage, telegramStage } from '../../conformance/telegramStage.ts'

/** Connecting a channel, and what Telegram's answers mean. */
let stage: TelegramStage
beforeEach(async () => {
  stage = await telegramStage()
})
afterEach(() => stage?.emulators.close())

const PASSPHRASE = 'correct horse battery staple'

function moduleHere() {
  return telegramModule({ http: createHttp({ emulatorUrl: new URL(stage.emulators.url) }) })
}

async function connect(values: Readonly<Record<string, string>> = {}) {
  const { signIn } = moduleHere()
  if (signIn.by !== 'FORM') throw new Error('There is no form.')
  return signIn.form.exchange(call(), { botToken: stage.token, passphrase: PASSPHRASE, ...values })
}

function problemsOf(values: Readonly<Record<string, string>>): string[] {
  const { signIn } = moduleHere()
  if (signIn.by !== 'FORM') throw new Error('There is no form.')
  const given = { botToken: stage.token, passphrase: PASSPHRASE, ...values }
  return (signIn.form.check?.(given) ?? []).map(({ field }) => field)
}

describe('connecting', () => {
  it('finds the channel that the bot was added to, by itself or as entered', async () => {
    const { channel } = stage
    const found = await connect()
    expect(found).toMatchObject({ chat: String(channel), botToken: stage.token, expiresAt: null })
    const links = [
      String(channel),
      `https://t.me/c/${String(channel).slice(4)}/12`,
      `t.me/c/${String(channel).slice(4)}`,
    ]
    for (const entered of links) expect(await connect({ channel: entered })).toEqual(found)
    expect(stage.posts()).toEqual([])
    const driver = moduleHere().open(found)
    const { ref } = await put(driver, 'content.bin', bytesOf(1000))
    expectSame(await read(moduleHere().open(await connect()), ref), bytesOf(1000))
  })

  it('is done again with the same channel, without its being entered', async () => {
    const { signIn } = moduleHere()
    const found = await connect()
    const values = signIn.by === 'FORM' ? signIn.form.valuesOf?.(found) : undefined
    expect(values).toEqual({ botToken: stage.token, channel: String(stage.channel) })
    expect(await connect(values)).toEqual(found)
  })

  it('takes a public channel by its name', async () => {
    const { commands } = stage.telegram
    const { id } = commands.addChannel({ title: 'Public', username: 'mystore' })
    commands.setAdmin({ channel: id, token: stage.token })
    for (const entered of ['@mystore', 'https://t.me/mystore', 't.me/mystore/7']) {
      expect((await connect({ channel: entered })).chat).toBe(String(id))
    }
  })

  it('is another account with another passphrase, and the same one with another bot', async () => {
    const subject = async (values = {}) =>
      (
        await moduleHere()
          .open(await connect(values))
          .identity(call())
      ).subject
    const first = await subject()
    expect(await subject({ passphrase: `${PASSPHRASE}!` })).not.toBe(first)
    const { commands } = stage.telegram
    const { token } = commands.addBot({ token: `888:${'B'.repeat(35)}`, username: 'OtherBot' })
    commands.setAdmin({ channel: stage.channel, token })
    expect(await subject({ botToken: token })).toBe(first)
  })

  it('says which field is wrong before anything is sent', () => {
    expect(problemsOf({})).toEqual([])
    expect(problemsOf({ botToken: 'my bot' })).toEqual(['botToken'])
    expect(problemsOf({ channel: 'My channel' })).toEqual(['channel'])
    expect(problemsOf({ passphrase: 'short' })).toEqual(['passphrase'])
  })

  it('says what is missing at Telegram', async () => {
    const { commands } = stage.telegram
    const { channel, token } = stage
    const message = async (values = {}) => (await rejection(connect(values), 'Forbidden')).detail.message
    expect(await message({ botToken: `1:${'x'.repeat(35)}` })).toMatch(/does not know this bot token/)
    expect(await message({ channel: '-1009999999999' })).toMatch(/add it to the channel/)
    commands.setAdmin({ channel, token, rights: { can_post_messages: true } })
    expect(await message({ channel: String(channel) })).toMatch(/may not delete messages/)
    commands.setAdmin({ channel, token, rights: { can_delete_messages: true } })
    expect(await message({ channel: String(channel) })).toMatch(/may not post messages/)
    commands.setAdmin({ channel, token, rights: null })
    expect(await message()).toMatch(/does not report a channel/)
    for (const title of ['One', 'Two']) commands.setAdmin({ channel: commands.addChannel({ title }).id, token })
    expect(await message()).toMatch(/several channels.*One \(-100\d+\), Two \(-100\d+\)/)
  })
})

it('deletes messages of any age', async () => {
  await stage.emulators.close()
  let now = Date.now()
  stage = await telegramStage(() => now)
  const driver = stage.open()
  const { ref } = await put(driver, 'old.bin', bytesOf(600_000))
  now += 60 * 24 * 3_600_000
  expectSame(await read(driver, ref), bytesOf(600_000))
  await driver.delete(call(), ref)
  expect(stage.posts()).toEqual([])
})

it('never puts the token into an error', async () => {
  const { token, telegram } = stage
  telegram.commands.revokeToken({ token })
  const error = await rejection(stage.open().quota(call()), 'AuthExpired')
  expect(JSON.stringify([error.message, error.detail, String(error.stack)])).not.toContain(token.slice(4))
})

it.each([
  [401, 'Unauthorized', 'AuthExpired'],
  [404, 'Not Found', 'AuthExpired'],
  [400, 'Bad Request: chat not found', 'AuthExpired'],
  [403, 'Forbidden: bot is not a member of the channel chat', 'AuthExpired'],
  [403, 'Forbidden: bot was kicked from the channel chat', 'AuthExpired'],
  [400, 'Bad Request: message to edit not found', 'NotFound'],
  [400, 'Bad Request: message to delete not found', 'NotFound'],
  [400, 'Bad Request: message to be replied not found', 'NotFound'],
  [400, 'Bad Request: replied message not found', 'NotFound'],
  [400, 'Bad Request: reply message not found', 'NotFound'],
  [400, 'Bad Request: wrong file_id or the file is temporarily unavailable', 'NotFound'],
  [400, "Bad Request: wrong remote file identifier specified: can't unserialize it", 'NotFound'],
  [400, 'Bad Request: message is not modified: specified new message content is the same', 'Permanent'],
  [400, "Bad Request: message can't be deleted", 'Forbidden'],
  [400, 'Bad Request: not enough rights to send documents to the chat', 'Forbidden'],
  [400, 'Bad Request: need administrator rights in the channel chat', 'Forbidden'],
  [400, 'Bad Request: file is too big', 'TooLarge'],
  [413, 'Request Entity Too Large', 'TooLarge'],
  [429, 'Too Many Requests: retry after 5', 'RateLimited'],
  [409, 'Conflict: terminated by other getUpdates request', 'Conflict'],
  [500, 'Internal Server Error: restart', 'Transient'],
  [502, 'Bad Gateway', 'Transient'],
] as const)('%i %s means %s', (status, description, code) => {
  expect(telegramErrorCode(status, description)).toBe(code)
})
