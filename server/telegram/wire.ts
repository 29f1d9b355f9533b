import type { BotMessage } from '../domain/telegram/service.ts'

export const KIND = 'telegram'

export type Update = { readonly id: number; readonly message: BotMessage | null }

/** Telegram's description of a failed call. */
export type Failure = { readonly description: string; readonly retryAfterMs: number | null }

/** The result of `{ ok: true, result }`; undefined for any other body. */
export function resultOf(body: unknown): unknown {
  return isObject(body) && body.ok === true ? body.result : undefined
}

export function failureOf(body: unknown): Failure {
  if (!isObject(body)) return { description: 'no reason given', retryAfterMs: null }
  const { description, parameters } = body
  const seconds = isObject(parameters) ? parameters.retry_after : undefined
  return {
    description: typeof description === 'string' ? description.slice(0, 200) : 'no reason given',
    retryAfterMs: typeof seconds === 'number' ? seconds * 1000 : null,
  }
}

/** Null without an update id: it could not be acknowledged. */
export function updateOf(value: unknown): Update | null {
  if (!isObject(value) || !isId(value.update_id)) return null
  return { id: value.update_id, message: messageOf(value.message) }
}

/** Null unless it is a text message of a user. */
function messageOf(value: unknown): BotMessage | null {
  if (!isObject(value) || typeof value.text !== 'string') return null
  const { from, chat, text } = value
  if (!isObject(from) || !isObject(chat) || from.is_bot === true || !isId(from.id) || !isId(chat.id)) return null
  return { text, userId: from.id, chatId: chat.id, username: usernameOf(from), isPrivate: chat.type === 'private' }
}

/** Without the @; null for none. */
export function usernameOf(value: unknown): string | null {
  const username = isObject(value) ? value.username : undefined
  return typeof username === 'string' && /^\w{1,64}$/.test(username) ? username : null
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
