import { randomUUID } from 'node:crypto'
import type { Call } from '../driver.ts'
import { isFailure, nothingWhen } from '../errors.ts'
import type { Http, HttpBody, HttpResponse } from '../shared/http.ts'
import { failed, KIND, telegramError } from './errors.ts'

const HOST = 'https://api.telegram.org'
/** An upload is answered after Telegram has stored it. */
const UPLOAD_PATIENCE_MS = 120_000
/** Most messages of one deleteMessages. */
const MAX_DELETED = 100

/** A document of a message. The file id is valid for this bot only, and Telegram may report another one for the same file later. */
export type SentDocument = { readonly fileId: string; readonly fileName: string; readonly size: number }
export type Message = {
  readonly id: number
  readonly document: SentDocument | null
  /** The message that it replies to. */
  readonly repliesTo: Message | null
}
export type Chat = {
  readonly id: number
  readonly type: string
  readonly title: string | null
}
/** What the bot may do in a channel. */
export type BotRights = { readonly isAdmin: boolean; readonly canPost: boolean; readonly canDelete: boolean }
/** Exactly `length` bytes. */
export type NewDocument = {
  readonly fileName: string
  readonly length: number
  readonly bytes: AsyncIterable<Uint8Array>
}

/** The calls of the Bot API (https://core.telegram.org/bots/api) that a channel as storage needs. `operation`: of the driver. */
export type BotApi = {
  /** The bot's id. */
  getMe(call: Call, operation: string): Promise<number>
  /** `chat`: an id or an @name. */
  getChat(call: Call, operation: string, chat: string): Promise<Chat>
  rights(call: Call, operation: string, chat: string, botId: number): Promise<BotRights>
  /** The channels that the bot was added to as administrator within the last day: Telegram reports no earlier ones. */
  channels(call: Call, operation: string): Promise<readonly Chat[]>
  sendDocument(call: Call, operation: string, chat: string, document: NewDocument): Promise<Message>
  sendText(call: Call, operation: string, chat: string, text: string): Promise<Message>
  /** A message by its id, which the Bot API has no method for: it is part of the answer to a short reply, which is deleted at once. Null: it is gone. */
  find(call: Call, operation: string, chat: string, messageId: number): Promise<Message | null>
  /** Whether the message of this bot is there. Nothing changes: it is "edited" to have no buttons, as before. */
  isThere(call: Call, operation: string, chat: string, messageId: number): Promise<boolean>
  /** Messages that are gone already are skipped. @throws Forbidden when the bot may not delete the first of them */
  deleteMessages(call: Call, operation: string, chat: string, messageIds: readonly number[]): Promise<void>
  /** A message that only helped to look for others: once more after a failure, because nothing else knows it. */
  deleteText(call: Call, operation: string, chat: string, messageId: number): Promise<void>
  /** The file, or, where the server can, what follows `from`. @throws NotFound when the file id is refused */
  openFile(call: Call, operation: string, fileId: string, from: number): Promise<HttpResponse>
}

/** Addresses contain the bot's token, so they must not appear in errors or the log. */
export function createBotApi(http: Pick<Http, 'send'>, token: string): BotApi {
  async function ask(call: Call, operation: string, method: string, parameters: object): Promise<unknown> {
    const body = JSON.stringify(parameters)
    return send(call, operation, method, { body, type: 'application/json' })
  }

  async function send(
    call: Call,
    operation: string,
    method: string,
    { body, type, patienceMs }: { readonly body: HttpBody; readonly type: string; readonly patienceMs?: number },
  ): Promise<unknown> {
    const where = { provider: KIND, operation }
    const response = await http.send(call, {
      where,
      method: 'POST',
      url: `${HOST}/bot${token}/${method}`,
      headers: { 'content-type': type },
      body,
      ...(patienceMs !== undefined && { patienceMs }),
    })
    const answer = await bodyOf(response)
    if (response.status === 200 && isObject(answer) && answer.ok === true) return answer.result
    throw telegramError(where, response.status, answer)
  }

  const api: BotApi = {
    async getMe(call, operation) {
      return idOf(await ask(call, operation, 'getMe', {}), operation)
    },
    async getChat(call, operation, chat) {
      return chatOf(await ask(call, operation, 'getChat', { chat_id: chat }), operation)
    },
    async rights(call, operation, chat, botId) {
      const member = await ask(call, operation, 'getChatMember', { chat_id: chat, user_id: botId })
      const { status, can_post_messages, can_delete_messages } = isObject(member) ? member : {}
      const isAdmin = status === 'administrator' || status === 'creator'
      return { isAdmin, canPost: can_post_messages === true, canDelete: can_delete_messages === true }
    },
    async channels(call, operation) {
      const updates = await ask(call, operation, 'getUpdates', { allowed_updates: ['my_chat_member'] })
      const found = new Map<number, Chat>()
      for (const update of Array.isArray(updates) ? updates : []) {
        const member: unknown = isObject(update) ? update.my_chat_member : undefined
        if (!isObject(member) || !isObject(member.new_chat_member)) continue
        const chat = chatOf(member.chat, operation)
        if (chat.type === 'channel' && member.new_chat_member.status === 'administrator') found.set(chat.id, chat)
        else found.delete(chat.id)
      }
      return [...found.values()]
    },
    async sendDocument(call, operation, chat, document) {
      const form = documentForm(chat, document)
      const sent = await send(call, operation, 'sendDocument', { ...form, patienceMs: UPLOAD_PATIENCE_MS })
      return messageOf(sent, operation)
    },
    async sendText(call, operation, chat, text) {
      const parameters = { chat_id: chat, text, disable_notification: true }
      return messageOf(await ask(call, operation, 'sendMessage', parameters), operation)
    },
    async find(call, operation, chat, messageId) {
      const parameters = { chat_id: chat, text: MARK, disable_notification: true }
      const asking = { ...parameters, reply_parameters: { message_id: messageId } }
      const sent = await ask(call, operation, 'sendMessage', asking).catch(nothingWhen('NotFound'))
      if (sent === null) return null
      const reply = messageOf(sent, operation)
      await api.deleteText(call, operation, chat, reply.id)
      return reply.repliesTo
    },
    async deleteText(call, operation, chat, messageId) {
      const remove = () => api.deleteMessages(call, operation, chat, [messageId])
      await remove().catch(remove)
    },
    async isThere(call, operation, chat, messageId) {
      try {
        await ask(call, operation, 'editMessageReplyMarkup', { chat_id: chat, message_id: messageId })
        return true
      } catch (error) {
        if (isFailure(error, 'NotFound')) return false
        // As expected; and for a message of the bot that was connected before.
        if (isFailure(error, 'Permanent') && /not modified|can't be edited/i.test(error.detail.message)) return true
        throw error
      }
    },
    async deleteMessages(call, operation, chat, messageIds) {
      const [first, ...others] = messageIds
      if (first === undefined) return
      // Only the method for one message says that the bot may not delete it.
      await ask(call, operation, 'deleteMessage', { chat_id: chat, message_id: first }).catch(nothingWhen('NotFound'))
      for (let at = 0; at < others.length; at += MAX_DELETED) {
        const message_ids = others.slice(at, at + MAX_DELETED)
        await ask(call, operation, 'deleteMessages', { chat_id: chat, message_ids })
      }
    },
    async openFile(call, operation, fileId, from) {
      const where = { provider: KIND, operation }
      const file = await ask(call, operation, 'getFile', { file_id: fileId })
      const path = isObject(file) ? file.file_path : undefined
      if (typeof path !== 'string') throw failed(operation, 'Transient', 'Telegram named no address of the file.')
      const response = await http.send(call, {
        where,
        method: 'GET',
        url: `${HOST}/file/bot${token}/${path}`,
        headers: from > 0 ? { range: `bytes=${from}-` } : {},
      })
      if (response.status === 200 || response.status === 206) return response
      const answer = await bodyOf(response)
      // The address was issued a moment ago: it is not the file that is missing.
      if (response.status !== 404) throw telegramError(where, response.status, answer)
      throw failed(operation, 'Transient', 'Telegram does not have the file at the address that it named.')
    },
  }
  return api
}

/** Text of messages that are deleted at once. */
export const MARK = 'Skypool is checking this channel.'

/** A form of RFC 7578, whose length is known. Without a detection of the type, as that turns documents into animations and videos. */
function documentForm(chat: string, { fileName, length, bytes }: NewDocument): { body: HttpBody; type: string } {
  const boundary = `skypool-${randomUUID()}`
  const fields = { chat_id: chat, disable_content_type_detection: 'true', disable_notification: 'true' }
  const texts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="document"; filename="${fileName}"\r\n`
  const before = Buffer.from(`${texts.join('')}${head}Content-Type: application/octet-stream\r\n\r\n`)
  const after = Buffer.from(`\r\n--${boundary}--\r\n`)
  async function* all(): AsyncGenerator<Uint8Array> {
    yield before
    yield* bytes
    yield after
  }
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: { length: before.length + length + after.length, bytes: all() },
  }
}

/** Null for a body that is not JSON, as from proxies. */
async function bodyOf(response: HttpResponse): Promise<unknown> {
  return response.json().catch(nothingWhen('Transient'))
}

function messageOf(value: unknown, operation: string): Message {
  const id = isObject(value) ? value.message_id : undefined
  if (!isObject(value) || typeof id !== 'number') throw failed(operation, 'Transient', 'Telegram returned no message.')
  const { document, reply_to_message } = value
  return {
    id,
    document: documentOf(document),
    repliesTo: reply_to_message === undefined ? null : messageOf(reply_to_message, operation),
  }
}

function documentOf(value: unknown): SentDocument | null {
  if (!isObject(value) || typeof value.file_id !== 'string') return null
  const { file_id: fileId, file_name: fileName, file_size: size } = value
  return {
    fileId,
    fileName: typeof fileName === 'string' ? fileName : '',
    size: typeof size === 'number' ? size : 0,
  }
}

function chatOf(value: unknown, operation: string): Chat {
  const { type, title } = isObject(value) ? value : {}
  return {
    id: idOf(value, operation),
    type: typeof type === 'string' ? type : '',
    title: typeof title === 'string' ? title : null,
  }
}

function idOf(value: unknown, operation: string): number {
  const id = isObject(value) ? value.id : undefined
  if (typeof id !== 'number') throw failed(operation, 'Transient', 'The response of Telegram has no id.')
  return id
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
