import type { Call, Capabilities, Credentials, Driver, EntryRef, ProviderModule } from '../driver.ts'
import type { Http } from '../shared/http.ts'
import { createBotApi } from './api.ts'
import { fingerprintOf } from './cipher.ts'
import { KIND } from './errors.ts'
import { get, remove, stat } from './files.ts'
import { accessOf, createTelegramForm } from './form.ts'
import { type Channel, DOCUMENT_BYTES, MAX_OBJECT_BYTES, type TelegramLimits } from './objects.ts'
import { abandon, put } from './put.ts'

export type TelegramDeps = {
  readonly http: Pick<Http, 'send'>
  /** Smaller limits for tests. */
  readonly limits?: Partial<TelegramLimits>
}

/** A private channel of Telegram, used through a bot of the user's own. */
export function telegramModule({ http, limits }: TelegramDeps): ProviderModule {
  return {
    kind: KIND,
    signIn: { by: 'FORM', form: createTelegramForm(http) },
    open: (credentials) => createDriver(http, credentials, { documentBytes: DOCUMENT_BYTES, ...limits }),
  }
}

const CAPABILITIES: Capabilities = {
  hash: null,
  duplicateNames: true,
  caseSensitive: true,
  maxObjectBytes: MAX_OBJECT_BYTES,
  maxNameLength: 255,
  nameUnit: 'utf16',
  maxConcurrency: 8,
  // A channel takes about 20 messages a minute.
  maxConcurrentWrites: 2,
  resumable: true,
}
const ROOT = 'channel' as EntryRef

/** The driver of one account: objects are found by their refs alone, and names and folders are accepted but not kept. */
function createDriver(http: Pick<Http, 'send'>, credentials: Credentials, limits: TelegramLimits): Driver {
  const { botToken, chat, key } = accessOf(credentials)
  const api = createBotApi(http, botToken)
  const channel: Channel = { api, chat, key, limits, fileIds: new Map(), lists: new Map(), newest: null }
  const look = (call: Call, operation: string) => api.getChat(call, operation, chat)

  return {
    kind: KIND,
    capabilities: CAPABILITIES,
    root: ROOT,
    async identity(call) {
      const { id, title } = await look(call, 'identity')
      // Not the bot, which can be replaced; and another passphrase could not read what is stored.
      return { subject: `${id}/${fingerprintOf(key)}`, email: null, name: title, place: title }
    },
    async quota(call) {
      // Telegram reports none, but whether the access is still valid.
      await look(call, 'quota')
      return { state: 'UNKNOWN', usedBytes: null, totalBytes: null }
    },
    stat: (call, ref) => stat(channel, call, ref),
    async list(call) {
      // Bots cannot list a channel. An error says that it cannot be reached; the page says nothing about what is there.
      await look(call, 'list')
      return { items: [], cursor: null }
    },
    get: (call, ref, range) => get(channel, call, ref, range),
    put: (call, entry, content, progress) => put({ channel, call, entry, content, progress }),
    abandon: (call, session, isNeeded) => abandon(channel, call, session, isNeeded),
    delete: (call, ref) => remove(channel, call, ref),
    async ensureFolder(call) {
      await look(call, 'ensureFolder')
      return ROOT
    },
  }
}
