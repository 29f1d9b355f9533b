import type { Call, Credentials, FieldProblem, FormField, FormValues, SignInForm } from '../driver.ts'
import { isFailure, nothingWhen, type ProviderError } from '../errors.ts'
import type { Http } from '../shared/http.ts'
import { type BotApi, type Chat, createBotApi } from './api.ts'
import { deriveKey, encrypt, encryptedLength, newSalt } from './cipher.ts'
import { failed } from './errors.ts'

const FIELDS: readonly FormField[] = [
  {
    name: 'botToken',
    label: 'Bot token',
    help: 'In Telegram, write /newbot to @BotFather and answer its questions. It replies with the token of your new bot. Use the bot only for this.',
    type: 'TEXT',
    secret: true,
    required: true,
  },
  {
    name: 'channel',
    label: 'Channel',
    help: 'Create a private channel, and add the bot to it as an administrator who may post and delete messages. Leave this empty if you did that within the last day. Otherwise, enter the link to any message of the channel, its @name or its id.',
    type: 'TEXT',
    secret: false,
    required: false,
  },
  {
    name: 'passphrase',
    label: 'Passphrase',
    help: 'Encrypts what is stored, as Telegram can read the channel. At least 12 characters. Keep it: to connect the channel again you need the same one, and no one can recover it.',
    type: 'TEXT',
    secret: true,
    required: true,
    notStored: true,
  },
]

const MIN_PASSPHRASE = 12
/** Supergroups and channels have ids below this (https://core.telegram.org/api/bots/ids). */
const CHANNEL_PREFIX = '-100'

/** The access to an account; null where the credentials have none. */
export type Access = { readonly botToken: string; readonly chat: string; readonly key: Buffer }

export function accessOf({ botToken, chat, key }: Credentials): Access {
  return { botToken: botToken ?? '', chat: chat ?? '', key: Buffer.from(key ?? '', 'base64url') }
}

/** The chat id or name in what a user enters; null where there is none. */
function chatIn(text: string): string | null {
  const [, privateId] = /^(?:https?:\/\/)?t\.me\/c\/(\d{5,15})(?:\/\d+)*\/?$/.exec(text) ?? []
  if (privateId !== undefined) return `${CHANNEL_PREFIX}${privateId}`
  if (/^-100\d{5,15}$/.test(text)) return text
  const [, name] = /^(?:@|(?:https?:\/\/)?t\.me\/)([A-Za-z]\w{3,31})(?:\/\d+)?\/?$/.exec(text) ?? []
  return name === undefined ? null : `@${name}`
}

function problemsIn({ botToken = '', channel, passphrase = '' }: FormValues): readonly FieldProblem[] {
  const problems: FieldProblem[] = []
  if (!/^\d{1,20}:[\w-]{20,100}$/.test(botToken.trim()))
    problems.push({ field: 'botToken', message: 'Bot token must be the whole token, as @BotFather shows it.' })
  if (channel !== undefined && chatIn(channel.trim()) === null)
    problems.push({
      field: 'channel',
      message: 'Channel must be a link to one of its messages, an @name, or an id that begins with -100.',
    })
  if (passphrase.length < MIN_PASSPHRASE)
    problems.push({ field: 'passphrase', message: `Passphrase must have at least ${MIN_PASSPHRASE} characters.` })
  return problems
}

/** The form. Everything that is needed later is tried: the bot, the channel, its rights there, and a message that is sent and deleted. */
export function createTelegramForm(http: Pick<Http, 'send'>): SignInForm {
  return {
    fields: FIELDS,
    check: problemsIn,
    async exchange(call, { botToken = '', channel, passphrase = '' }): Promise<Credentials> {
      const token = botToken.trim()
      const api = createBotApi(http, token)
      const botId = await api.getMe(call, OPERATION).catch((error: unknown) => {
        throw isFailure(error, 'AuthExpired') ? refused('Telegram does not know this bot token.', error) : error
      })
      const { id } = channel === undefined ? await newChannel(api, call) : await namedChannel(api, call, channel.trim())
      const chat = String(id)
      await checkRights(api, call, chat, botId)
      const key = await deriveKey(passphrase, id)
      await tryToStore(api, call, chat, Buffer.from(key, 'base64url'))
      return { expiresAt: null, botToken: token, chat, key }
    },
    // The passphrase is not stored, but only the key that is made from it.
    valuesOf: ({ botToken, chat }) => ({ botToken: botToken ?? '', channel: chat ?? '' }),
  }
}

const OPERATION = 'exchange'

/** The only code whose message users see when they connect an account. */
const refused = (message: string, cause?: unknown): ProviderError => failed(OPERATION, 'Forbidden', message, cause)

async function namedChannel(api: BotApi, call: Call, entered: string): Promise<Chat> {
  const found = await api.getChat(call, OPERATION, chatIn(entered) ?? entered).catch((error: unknown) => {
    if (!isFailure(error, 'AuthExpired')) throw error
    throw refused('The bot cannot find this channel. Please add it to the channel as an administrator first.', error)
  })
  if (found.type === 'channel') return found
  throw refused('This is a group or a chat. Please create a channel: bots may delete old messages only there.')
}

async function newChannel(api: BotApi, call: Call): Promise<Chat> {
  // Another program that uses the bot; then the channel has to be named.
  const found = await api.channels(call, OPERATION).catch(nothingWhen('Conflict'))
  const [only] = found ?? []
  if (found?.length === 1 && only) return only
  if (!found || found.length === 0) {
    throw refused(
      'Telegram does not report a channel that the bot was added to within the last day. Add it to your channel as an administrator. If it is one already, enter the link to a message of the channel.',
    )
  }
  const names = found.map(({ id, title }) => `${title ?? 'no title'} (${id})`).join(', ')
  throw refused(`The bot was added to several channels. Please enter the id of one: ${names}.`)
}

async function checkRights(api: BotApi, call: Call, chat: string, botId: number): Promise<void> {
  const { isAdmin, canPost, canDelete } = await api.rights(call, OPERATION, chat, botId)
  if (!isAdmin) throw refused('The bot is not an administrator of the channel. Please make it one.')
  const missing = [...(canPost ? [] : ['post messages']), ...(canDelete ? [] : ['delete messages'])]
  if (missing.length > 0) throw refused(`The bot may not ${missing.join(' or ')}. Please allow it in the channel.`)
}

/** Stores an encrypted document, and deletes it. */
async function tryToStore(api: BotApi, call: Call, chat: string, key: Buffer): Promise<void> {
  const content = Buffer.from('Skypool')
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield content
  }
  const length = encryptedLength(content.length)
  const document = encrypt({ key, purpose: 'test' }, newSalt(), content.length, bytes())
  const sent = await api.sendDocument(call, OPERATION, chat, { fileName: 'test.skypool', length, bytes: document })
  await api.deleteMessages(call, OPERATION, chat, [sent.id])
  if (sent.document?.size !== length) throw refused('Telegram did not keep a document that was stored as a test.')
}
