import { randomBytes } from 'node:crypto'
import type { Credentials, Driver, Entry, EntryRef } from '../../server/providers/driver.ts'
import { createHttp } from '../../server/providers/shared/http.ts'
import { contentIn, encryptedLength } from '../../server/providers/telegram/cipher.ts'
import { telegramModule } from '../../server/providers/telegram/module.ts'
import type { Fault } from '../fakes/core/faults.ts'
import { type Emulators, startEmulators } from '../fakes/core/server.ts'
import { createTelegram, type TelegramService } from '../fakes/telegram/telegram.ts'
import { CHUNK } from './emulated.ts'
import type { FaultKind, Harness, ServiceFault } from './harness.ts'

/** Small documents, of exactly one chunk of content. */
const DOCUMENT_BYTES = encryptedLength(CHUNK)
/** The form around a document, the encryption, and the metadata in a head. */
const AROUND_BYTES = 2048
const SENT_BYTES = 1000

export type TelegramStage = {
  readonly telegram: TelegramService
  readonly emulators: Emulators
  readonly token: string
  readonly channel: number
  readonly credentials: Credentials
  open(credentials?: Credentials): Driver
  /** Names of the documents in the channel, and texts. */
  posts(): {
    readonly id: number
    readonly text: string | null
    readonly document: { name: string; size: number } | null
  }[]
}

export async function telegramStage(clock = Date.now): Promise<TelegramStage> {
  const telegram = createTelegram({ clock })
  const emulators = await startEmulators({ services: [telegram] })
  const { token } = telegram.commands.addBot({ token: `777:${'A'.repeat(35)}`, username: 'StoreBot' })
  const { id: channel } = telegram.commands.addChannel({ title: 'Store' })
  telegram.commands.setAdmin({ channel, token })
  const http = createHttp({ emulatorUrl: new URL(emulators.url) })
  const module = telegramModule({ http, limits: { documentBytes: DOCUMENT_BYTES } })
  const key = randomBytes(32).toString('base64url')
  const credentials = { expiresAt: null, botToken: token, chat: String(channel), key }
  return {
    telegram,
    emulators,
    token,
    channel,
    credentials,
    open: (given = credentials) => module.open(given),
    posts: () => telegram.commands.posts({ channel }),
  }
}

const FAULTS: readonly FaultKind[] = [
  'rateLimit',
  'serverError',
  'reset',
  'cutUp',
  'cutDown',
  'shortBody',
  'lostReply',
  'truncate',
  'vanish',
]

/** Bots cannot list a channel: for the suite, `list` adds what the owner of the channel sees in it. `wrap` puts something around each driver. */
export async function telegramHarness(wrap = (driver: Driver): Driver => driver): Promise<Harness> {
  const stage = await telegramStage()
  const { emulators, telegram, token } = stage
  const open = (): Driver => {
    const driver = wrap(stage.open())
    return {
      ...driver,
      async list(call, folder, cursor) {
        await driver.list(call, folder, cursor)
        return { items: stage.posts().flatMap(entryOf), cursor: null }
      },
      async put(call, entry, content, progress) {
        const stored = await driver.put(call, entry, content, progress)
        refs.set(Number(stored.ref.split('~')[0]), stored.ref)
        return stored
      },
    }
  }
  /** By the message of their head. */
  const refs = new Map<number, EntryRef>()
  const entryOf = ({ id, document }: ReturnType<TelegramStage['posts']>[number]): Entry[] => {
    if (!document?.name.endsWith('.head')) return []
    const ref = refs.get(id) ?? (`unknown ${id}` as EntryRef)
    return [{ ref, name: document.name, kind: 'file', size: contentIn(document.size), modifiedAt: null, hash: null }]
  }
  return {
    driver: open(),
    reopen: open,
    chunkBytes: CHUNK,
    manyEntries: null,
    keepsNames: false,
    keepsHash: false,
    faults: new Set(FAULTS),
    plan(fault) {
      emulators.clearFaults()
      emulators.plan(faultOf(fault))
    },
    keepPart(missing, then) {
      emulators.clearFaults()
      emulators.plan({ kind: 'truncate', bytes: missing })
      if (then === 'LOST_ANSWER') emulators.plan({ kind: 'lostReply', operation: 'sendDocument' })
      else emulators.plan({ kind: 'serverError', operation: 'deleteMessage*' })
    },
    expireAccess: () => void telegram.commands.revokeToken({ token }),
    receivedBytes: () =>
      emulators
        .log()
        .reduce(
          (sum, { operation, bytesIn }) =>
            sum + (operation === 'sendDocument' ? Math.max(0, bytesIn - AROUND_BYTES) : 0),
          0,
        ),
    async close() {
      const bugs = emulators.log().flatMap(({ bug }) => bug ?? [])
      const left = stage.posts().filter(({ text }) => text !== null)
      await emulators.close()
      if (bugs.length > 0) throw new Error(`The emulator has bugs: ${bugs.join('\n')}`)
      if (left.length > 0) throw new Error('Messages that help to look for others were left in the channel.')
    },
  }
}

function faultOf(fault: ServiceFault): Fault {
  switch (fault.kind) {
    case 'rateLimit':
      return { kind: 'rateLimit', retryAfter: fault.retryAfterMs / 1000 }
    case 'cutUp':
      return {
        kind: 'cutUp',
        operation: 'sendDocument',
        after: Math.floor(fault.afterBytes / CHUNK),
        bytes: fault.afterBytes % CHUNK,
      }
    case 'cutDown':
      return { kind: 'cutDown', operation: 'file', bytes: fault.afterBytes }
    case 'shortBody':
      return { kind: 'shortBody', operation: 'file', bytes: fault.bytes, agreeing: true }
    case 'truncate':
      return { kind: 'truncate', bytes: SENT_BYTES - fault.bytes }
    case 'lostReply':
      return { kind: 'lostReply', operation: 'sendDocument' }
    default:
      return { kind: fault.kind }
  }
}
