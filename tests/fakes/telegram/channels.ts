import type { Readable } from 'node:stream'
import type { Blob } from '../core/blobs.ts'
import type { Exchange } from '../core/service.ts'
import { type Method, numberOf, type Parameters } from './parameters.ts'
import {
  type Bot,
  type Channel,
  type ChannelPost,
  type Rights,
  type State,
  type StoredFile,
  TelegramError,
} from './state.ts'

// What the Bot API does with channels and documents: https://core.telegram.org/bots/api, and the descriptions of errors as in
// tdlib/telegram-bot-api.

const MOST_UPLOADED = 50_000_000
const MOST_DOWNLOADED = 20_000_000
const MINUTE_MS = 60_000
/** Bots may delete what others sent, and what is older than this, only with the right to delete. */
const DELETABLE_MS = 48 * 3_600_000
const MOST_DELETED = 100

export const CHANNEL_METHODS: Readonly<Record<string, Method>> = {
  getchat: { name: 'getChat', run: (state, bot, { chat_id }) => chatOf(channelOf(state, bot, chat_id)) },
  getchatmember: { name: 'getChatMember', run: getChatMember },
  senddocument: { name: 'sendDocument', run: sendDocument },
  getfile: { name: 'getFile', run: getFile },
  deletemessage: { name: 'deleteMessage', run: deleteMessage },
  deletemessages: { name: 'deleteMessages', run: deleteMessages },
  editmessagereplymarkup: { name: 'editMessageReplyMarkup', run: editMessageReplyMarkup },
}

/** A channel that the bot is in; others do not exist for it. */
export function channelOf({ channels }: State, { id: botId }: Bot, chat: unknown): Channel {
  if (chat === undefined || chat === '') throw new TelegramError(400, 'Bad Request: chat_id is empty')
  const found = [...channels.values()].find(
    ({ id, username }) => String(id) === String(chat) || (username !== null && chat === `@${username}`),
  )
  if (!found || found.isDeleted || (found.username === null && !found.known.has(botId))) {
    throw new TelegramError(400, 'Bad Request: chat not found')
  }
  if (!found.admins.has(botId)) throw new TelegramError(403, 'Forbidden: bot is not a member of the channel chat')
  return found
}

export function chatOf({ id, title, username }: Channel): object {
  return { id, type: 'channel', title, ...(username !== null && { username }) }
}

function getChatMember(state: State, bot: Bot, { chat_id, user_id }: Parameters): object {
  const { admins } = channelOf(state, bot, chat_id)
  const rights = admins.get(numberOf(user_id, 0))
  if (!rights) throw new TelegramError(400, 'Bad Request: PARTICIPANT_ID_INVALID')
  const user = { id: numberOf(user_id, 0), is_bot: true, first_name: 'Bot' }
  const all = { can_post_messages: false, can_edit_messages: false, can_delete_messages: false, ...rights }
  return { user, status: 'administrator', can_be_edited: false, ...all }
}

export function require(channel: Channel, { id }: Bot, right: keyof Rights): void {
  if (channel.admins.get(id)?.[right]) return
  throw new TelegramError(400, 'Bad Request: need administrator rights in the channel chat')
}

/** Adds a post, within the limit of messages. */
export function addPost(
  state: State,
  channel: Channel,
  post: Pick<ChannelPost, 'sender' | 'text' | 'file' | 'repliesTo'>,
): ChannelPost {
  const added: ChannelPost = { ...post, id: channel.nextMessage, date: state.now() }
  channel.nextMessage += 1
  channel.posts.set(added.id, added)
  return added
}

export function checkFlood(state: State, channel: Channel): void {
  const now = state.now()
  channel.sent = channel.sent.filter((at) => now - at < MINUTE_MS)
  if (state.perMinute !== null && channel.sent.length >= state.perMinute) {
    const seconds = Math.max(1, Math.ceil((MINUTE_MS - (now - (channel.sent[0] ?? now))) / 1000))
    throw new TelegramError(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds })
  }
  channel.sent.push(now)
}

/** The message that `reply_parameters` names; null without them. */
export function repliedTo(channel: Channel, parameters: Parameters): number | null {
  const given = parameters.reply_parameters
  const reply = (typeof given === 'string' ? JSON.parse(given) : (given ?? null)) as {
    message_id?: unknown
    allow_sending_without_reply?: unknown
  } | null
  const id = numberOf(reply?.message_id, 0)
  if (reply === null || channel.posts.has(id)) return reply === null ? null : id
  if (reply.allow_sending_without_reply === true) return null
  throw new TelegramError(400, 'Bad Request: message to be replied not found')
}

export function messageOf(state: State, bot: Bot, channel: Channel, post: ChannelPost, isReply = false): object {
  const { id, date, text, file, repliesTo } = post
  const chat = chatOf(channel)
  const target = repliesTo === null || isReply ? undefined : channel.posts.get(repliesTo)
  return {
    message_id: id,
    sender_chat: chat,
    chat,
    date: Math.floor(date / 1000),
    ...(text !== null && { text }),
    ...(file && { document: documentOf(bot, file) }),
    ...(target && { reply_to_message: messageOf(state, bot, channel, target, true) }),
  }
}

function documentOf(bot: Bot, { uniqueId, name, mimeType, blob }: StoredFile): object {
  return {
    file_name: name,
    mime_type: mimeType,
    file_id: fileIdOf(bot, uniqueId),
    file_unique_id: uniqueId,
    file_size: blob.size,
  }
}

/** Another bot has another id for the same file, and a bot can have several. */
let issued = 0
function fileIdOf({ id }: Bot, uniqueId: string): string {
  issued += 1
  return `BQAC${Buffer.from(`${id}:${uniqueId}:${issued}`).toString('base64url')}`
}

function fileOf(state: State, { id }: Bot, fileId: unknown): StoredFile {
  const text = String(fileId ?? '')
  const [owner, uniqueId = ''] = Buffer.from(text.slice(4), 'base64url').toString().split(':')
  if (!text.startsWith('BQAC') || owner === undefined) throw new TelegramError(400, 'Bad Request: invalid file_id')
  const file = state.files.get(uniqueId)
  if (!file || owner !== String(id)) {
    throw new TelegramError(400, 'Bad Request: wrong file_id or the file is temporarily unavailable')
  }
  return file
}

async function sendDocument(state: State, bot: Bot, parameters: Parameters, exchange: Exchange): Promise<object> {
  const channel = channelOf(state, bot, parameters.chat_id)
  require(channel, bot, 'can_post_messages')
  const given = parameters.document
  if (!isUpload(given)) throw new TelegramError(400, 'Bad Request: there is no document in the request')
  if (given.bytes.length > MOST_UPLOADED) throw new TelegramError(413, 'Request Entity Too Large')
  if (given.bytes.length === 0) throw new TelegramError(400, 'Bad Request: file must be non-empty')
  const repliesTo = repliedTo(channel, parameters)
  checkFlood(state, channel)
  const cut = exchange.take('truncate')
  const bytes = cut ? given.bytes.subarray(0, Math.max(1, given.bytes.length - (cut.bytes ?? 1))) : given.bytes
  const blob = state.blobs.create()
  await blob.append(bytes)
  const uniqueId = `AgAD${state.nextFile++}`
  const file: StoredFile = { uniqueId, name: given.fileName, mimeType: 'application/octet-stream', blob }
  state.files.set(uniqueId, file)
  const post = addPost(state, channel, { sender: bot.id, text: null, file, repliesTo })
  const message = messageOf(state, bot, channel, post)
  if (exchange.take('vanish')) await removePost(state, channel, post)
  return message
}

export type Upload = { readonly fileName: string; readonly bytes: Buffer }

function isUpload(value: unknown): value is Upload {
  return typeof value === 'object' && value !== null && 'bytes' in value
}

function getFile(state: State, bot: Bot, { file_id }: Parameters): object {
  const { uniqueId, blob } = fileOf(state, bot, file_id)
  if (blob.size > MOST_DOWNLOADED) throw new TelegramError(400, 'Bad Request: file is too big')
  const file_path = `documents/file_${uniqueId}.bin`
  return { file_id, file_unique_id: uniqueId, file_size: blob.size, file_path }
}

/** GET /file/bot<token>/<file_path>. Ranges are served, as by Telegram's servers at present. */
export async function sendFile(state: State, path: string, exchange: Exchange): Promise<void> {
  const [, uniqueId = ''] = /^documents\/file_(\w+)\.bin$/.exec(path) ?? []
  const file = state.files.get(uniqueId)
  if (!file) throw new TelegramError(404, 'Not Found')
  const { size } = file.blob
  const [, from] = exchange.take('ignoreRange')
    ? []
    : (/^bytes=(\d+)-$/.exec(exchange.request.headers.range ?? '') ?? [])
  const start = Number(from ?? 0)
  if (from === undefined || start >= size) return exchange.sendObject(200, TYPE, size, read(file.blob))
  const range = { 'Content-Range': `bytes ${start}-${size - 1}/${size}` }
  return exchange.sendObject(206, { ...TYPE, ...range }, size - start, read(file.blob, start))
}
const TYPE = { 'Content-Type': 'application/octet-stream' }
const read = (blob: Blob, start = 0): Readable => blob.read(start)

async function deleteMessage(state: State, bot: Bot, { chat_id, message_id }: Parameters): Promise<true> {
  const channel = channelOf(state, bot, chat_id)
  const post = channel.posts.get(numberOf(message_id, 0))
  if (!post) throw new TelegramError(400, 'Bad Request: message to delete not found')
  if (!mayDelete(state, channel, bot, post)) throw new TelegramError(400, "Bad Request: message can't be deleted")
  await removePost(state, channel, post)
  return true
}

async function deleteMessages(state: State, bot: Bot, { chat_id, message_ids }: Parameters): Promise<true> {
  const channel = channelOf(state, bot, chat_id)
  const ids: unknown = typeof message_ids === 'string' ? JSON.parse(message_ids) : message_ids
  if (!Array.isArray(ids) || ids.length === 0)
    throw new TelegramError(400, 'Bad Request: message identifiers are not specified')
  if (ids.length > MOST_DELETED) throw new TelegramError(400, 'Bad Request: too many message identifiers specified')
  for (const id of ids) {
    const post = channel.posts.get(numberOf(id, 0))
    if (post && mayDelete(state, channel, bot, post)) await removePost(state, channel, post)
  }
  return true
}

function mayDelete(state: State, channel: Channel, { id }: Bot, { sender, date }: ChannelPost): boolean {
  const rights = channel.admins.get(id)
  if (rights?.can_delete_messages) return true
  return rights?.can_post_messages === true && sender === id && state.now() - date < DELETABLE_MS
}

/** Files are dropped with their message; Telegram does that some time later. */
export async function removePost(state: State, channel: Channel, { id, file }: ChannelPost): Promise<void> {
  channel.posts.delete(id)
  if (!file) return
  state.files.delete(file.uniqueId)
  await file.blob.remove()
}

/** Buttons are not kept here: a message that has none stays as it is. */
function editMessageReplyMarkup(state: State, bot: Bot, { chat_id, message_id, reply_markup }: Parameters): never {
  const post = channelOf(state, bot, chat_id).posts.get(numberOf(message_id, 0))
  if (!post) throw new TelegramError(400, 'Bad Request: message to edit not found')
  if (post.sender !== bot.id) throw new TelegramError(400, "Bad Request: message can't be edited")
  if (reply_markup !== undefined) throw new TelegramError(400, 'Bad Request: buttons are not emulated')
  const same =
    'specified new message content and reply markup are exactly the same as a current content and reply markup of the message'
  throw new TelegramError(400, `Bad Request: message is not modified: ${same}`)
}
