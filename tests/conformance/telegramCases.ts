import { Readable } from 'node:stream'
import { expect } from 'vitest'
import type { Driver, EntryRef } from '../../server/providers/driver.ts'
import { CHUNK } from './emulated.ts'
import { bytesOf, call, expectSame, progressFrom, put, read, rejection, type TestProgress } from './kit.ts'
import type { TelegramStage } from './telegramStage.ts'

/** What the service does not do for its drivers, and this one therefore does itself. Each throws where it does not. */
export type TelegramCase = (stage: TelegramStage) => Promise<void>

const names = (stage: TelegramStage): string[] => stage.posts().map(({ document }) => document?.name ?? 'text')
const part = (ref: EntryRef, index: number): string => ref.split('~')[index] ?? ''

/** A document as another program with the token sends it. */
async function sendBy({ emulators, token, channel }: TelegramStage, fileName: string, bytes: Buffer): Promise<void> {
  const form = new FormData()
  form.set('chat_id', String(channel))
  form.set('document', new File([new Uint8Array(bytes)], fileName))
  const url = `${emulators.url}/@api.telegram.org/bot${token}/sendDocument`
  expect((await fetch(url, { method: 'POST', body: form })).status).toBe(200)
}

/** An upload of more than three parts, of which the answer to the second one is lost. */
async function loseAnswer(stage: TelegramStage, driver: Driver): Promise<{ bytes: Buffer; progress: TestProgress }> {
  const bytes = bytesOf(3 * CHUNK + 17)
  const progress = progressFrom()
  stage.emulators.plan({ kind: 'lostReply', operation: 'sendDocument', after: 1 })
  await rejection(put(driver, 'lost.bin', bytes, { progress }), 'Transient')
  return { bytes, progress }
}

export const TELEGRAM_CASES: Readonly<Record<string, TelegramCase>> = {
  async 'leaves nothing in the channel of what is deleted'(stage) {
    const driver = stage.open()
    const entries = [await put(driver, 'long.bin', bytesOf(3 * CHUNK + 17)), await put(driver, 'a.txt', bytesOf(5))]
    expect(names(stage)).toHaveLength(6)
    // In another process, which has not read the list of parts yet.
    for (const { ref } of entries) await stage.open().delete(call(), ref)
    expect(names(stage)).toEqual([])
  },
  async 'leaves nothing of an upload that is abandoned, nor of what was lost'(stage) {
    const { progress } = await loseAnswer(stage, stage.open())
    expect(names(stage)).toHaveLength(2)
    await stage.open().abandon(call(), progress.saved ?? '')
    expect(names(stage)).toEqual([])
  },
  async 'does not send a document again that was stored without an answer'(stage) {
    const { bytes, progress } = await loseAnswer(stage, stage.open())
    stage.telegram.commands.post({ channel: stage.channel, text: 'Good morning!' })
    const { ref } = await put(stage.open(), 'lost.bin', bytes, { progress: progressFrom(progress.saved) })
    expectSame(await read(stage.open(), ref), bytes)
    expect(names(stage).filter((name) => name !== 'text')).toHaveLength(5)
    expect(names(stage).filter((name) => name === 'text')).toHaveLength(1)
  },
  async 'returns one ref for one upload, also when it is asked again'(stage) {
    const progress = progressFrom()
    const { ref } = await put(stage.open(), 'once.bin', bytesOf(20), { progress })
    const again = await put(stage.open(), 'once.bin', bytesOf(20), { progress: progressFrom(progress.saved) })
    expect(again.ref).toBe(ref)
    await stage.open().abandon(call(), progress.saved ?? '', async (asked) => asked === ref)
    expectSame(await read(stage.open(), ref), bytesOf(20))
    expect(names(stage)).toHaveLength(1)
  },
  async 'deletes what Telegram stores only after it was looked for'(stage) {
    const bytes = bytesOf(3 * CHUNK + 17)
    const progress = progressFrom()
    stage.emulators.plan({ kind: 'cutUp', operation: 'sendDocument', after: 1, bytes: 1000 })
    await rejection(put(stage.open(), 'late.bin', bytes, { progress }), 'Transient')
    stage.emulators.plan({ kind: 'rateLimit', operation: 'sendDocument', retryAfter: 1 })
    const second = progressFrom(progress.saved)
    await rejection(put(stage.open(), 'late.bin', bytes, { progress: second }), 'RateLimited')
    const objectId = names(stage)[0]?.split('.')[0] ?? ''
    await sendBy(stage, `${objectId}.1`, bytesOf(100))
    const { ref } = await put(stage.open(), 'late.bin', bytes, { progress: progressFrom(second.saved) })
    expectSame(await read(stage.open(), ref), bytes)
    expect(names(stage).toSorted()).toEqual([0, 1, 2, 3, 'head'].map((index) => `${objectId}.${index}`).toSorted())
  },
  async 'leaves nothing of a content that ends early'(stage) {
    const bytes = bytesOf(2 * CHUNK + 5)
    const content = { size: bytes.length + 1, open: () => stageContent(bytes) }
    await rejection(put(stage.open(), 'short.bin', bytes, { content }), 'Corrupt')
    expect(names(stage)).toEqual([])
  },
  async 'notices a changed byte, wherever it is'(stage) {
    for (const at of [2, 10, 100, 70_000]) {
      const { ref } = await put(stage.open(), 'content.bin', bytesOf(150_000))
      const message = Number(part(ref, 0))
      await stage.telegram.commands.damage({ channel: stage.channel, message, at })
      await rejection(read(stage.open(), ref), 'Corrupt')
    }
  },
  async 'takes no document for another one'(stage) {
    const [one, two] = [await put(stage.open(), '1', bytesOf(100, 1)), await put(stage.open(), '2', bytesOf(100, 2))]
    const exchanged = one.ref.split('~').with(0, part(two.ref, 0)).with(5, part(two.ref, 5)).join('~') as EntryRef
    await rejection(read(stage.open(), exchanged), 'Corrupt')
    const other = { ...stage.credentials, key: Buffer.alloc(32, 7).toString('base64url') }
    await rejection(read(stage.open(other), one.ref), 'Corrupt')
  },
  async 'shows neither contents nor names to Telegram'(stage) {
    const text = Buffer.from('a very private content '.repeat(20))
    const { ref } = await put(stage.open(), 'private.txt', text)
    const { token, emulators } = stage
    const api = `${emulators.url}/@api.telegram.org`
    const file = await (await fetch(`${api}/bot${token}/getFile?file_id=${part(ref, 5)}`)).json()
    const { file_path } = (file as { result: { file_path: string } }).result
    const seen = Buffer.from(await (await fetch(`${api}/file/bot${token}/${file_path}`)).arrayBuffer()).toString(
      'latin1',
    )
    expect(seen).not.toContain('private')
    expect(names(stage).join()).not.toContain('private')
    expect(ref).not.toContain('private')
  },
  async 'reads and deletes what another bot of the channel has stored'(stage) {
    const bytes = bytesOf(2 * CHUNK + 5)
    const { ref } = await put(stage.open(), 'content.bin', bytes)
    const { token } = stage.telegram.commands.addBot({ token: `888:${'B'.repeat(35)}`, username: 'OtherBot' })
    stage.telegram.commands.setAdmin({ channel: stage.channel, token })
    const other = stage.open({ ...stage.credentials, botToken: token })
    expect((await other.stat(call(), ref)).size).toBe(bytes.length)
    expectSame(await read(other, ref), bytes)
    expectSame(await read(other, ref, { start: CHUNK - 5, end: CHUNK + 5 }), bytes.subarray(CHUNK - 5, CHUNK + 6))
    expect(names(stage)).not.toContain('text')
    await other.delete(call(), ref)
    expect(names(stage)).toEqual([])
  },
  async 'fetches little for a short range, and reads also where ranges are ignored'(stage) {
    const bytes = bytesOf(2 * CHUNK)
    const { ref } = await put(stage.open(), 'content.bin', bytes)
    const range = { start: CHUNK - 100, end: CHUNK - 1 }
    stage.emulators.resetLog()
    expectSame(await read(stage.open(), ref, range), bytes.subarray(CHUNK - 100, CHUNK))
    const sent = stage.emulators.log().reduce((sum, { bytesOut }) => sum + bytesOut, 0)
    expect(sent).toBeLessThan(CHUNK / 2)
    stage.emulators.plan({ kind: 'ignoreRange', count: 0 })
    expectSame(await read(stage.open(), ref, range), bytes.subarray(CHUNK - 100, CHUNK))
  },
  async 'takes nothing for gone when the bot or the channel is'(stage) {
    const { telegram, channel, token } = stage
    const { ref } = await put(stage.open(), 'content.bin', bytesOf(5))
    telegram.commands.setAdmin({ channel, token, rights: null })
    await rejection(stage.open().stat(call(), ref), 'AuthExpired')
    telegram.commands.setAdmin({ channel, token })
    telegram.commands.deleteChannel({ channel })
    await rejection(stage.open().stat(call(), ref), 'AuthExpired')
    await rejection(stage.open().list(call(), stage.open().root, null), 'AuthExpired')
  },
  async 'says that it may not delete'(stage) {
    const { telegram, channel, token } = stage
    const { ref } = await put(stage.open(), 'content.bin', bytesOf(5))
    telegram.commands.setAdmin({ channel, token, rights: { can_delete_messages: false } })
    await rejection(stage.open().delete(call(), ref), 'Forbidden')
    await rejection(put(stage.open(), 'other.bin', bytesOf(5)), 'Forbidden')
    expectSame(await read(stage.open(), ref), bytesOf(5))
  },
  async 'waits as long as Telegram says when there are too many messages'(stage) {
    const driver = stage.open()
    await put(driver, 'first.bin', bytesOf(5))
    stage.telegram.commands.setFlood({ perMinute: 3 })
    const error = await rejection(put(driver, 'long.bin', bytesOf(3 * CHUNK + 1)), 'RateLimited')
    expect(error.detail.retryAfterMs).toBeGreaterThan(0)
  },
}

function stageContent(bytes: Buffer) {
  return Readable.from([bytes], { objectMode: false })
}
