import { ProviderError, type ProviderErrorCode, type ProviderErrorWhere } from '../errors.ts'

export const KIND = 'telegram'

const BY_STATUS: Readonly<Record<number, ProviderErrorCode>> = {
  // An unknown and a malformed token.
  401: 'AuthExpired',
  404: 'AuthExpired',
  403: 'Forbidden',
  409: 'Conflict',
  413: 'TooLarge',
  429: 'RateLimited',
}

/** By Telegram's descriptions, which it has no codes for (tdlib/telegram-bot-api, Client.cpp); the wording has changed over the years. */
const BY_DESCRIPTION: readonly (readonly [RegExp, ProviderErrorCode])[] = [
  // The bot was removed, or the channel was deleted. Not NotFound: the objects are not known to be gone.
  [/chat not found|bot (is not a member|was)/i, 'AuthExpired'],
  [/message to (edit|delete|be replied) not found|repl\w+ message not found|MESSAGE_ID_INVALID/i, 'NotFound'],
  [/(wrong|invalid) (file_id|file identifier|remote file)|file is temporarily unavailable/i, 'NotFound'],
  [/file is too big|entity too large/i, 'TooLarge'],
  [/not enough rights|need administrator rights|have no rights|message can't be deleted/i, 'Forbidden'],
  [/too many requests/i, 'RateLimited'],
]

/** Maps an error of the Bot API to a ProviderError code. */
export function telegramErrorCode(status: number, description: string): ProviderErrorCode {
  if (status >= 500) return 'Transient'
  const known = BY_DESCRIPTION.find(([pattern]) => pattern.test(description))
  return known?.[1] ?? BY_STATUS[status] ?? 'Permanent'
}

/** The body of a failed call: `{ ok: false, error_code, description, parameters? }`. */
export function telegramError(where: ProviderErrorWhere, status: number, body: unknown): ProviderError {
  const { description: said, parameters } = (typeof body === 'object' && body !== null ? body : {}) as {
    readonly description?: unknown
    readonly parameters?: { readonly retry_after?: unknown } | null
  }
  // A description that could repeat a token is not passed on.
  const description = typeof said === 'string' && !/\d+:[\w-]{20}/.test(said) ? said.slice(0, 200) : 'no reason given'
  const seconds = parameters?.retry_after
  return new ProviderError(
    telegramErrorCode(status, description),
    { ...where, status },
    {
      message: `Telegram answered ${status} (${description}).`,
      ...(typeof seconds === 'number' && { retryAfterMs: seconds * 1000 }),
    },
  )
}

/** Without an answer of Telegram. */
export function failed(operation: string, code: ProviderErrorCode, message: string, cause?: unknown): ProviderError {
  return new ProviderError(code, { provider: KIND, operation }, { message, cause })
}
