import { randomUUID } from 'node:crypto'
import type { TelegramBot } from '../domain/telegram/service.ts'
import { ProviderError, type ProviderErrorCode } from '../providers/errors.ts'
import type { Http } from '../providers/shared/http.ts'
import { failureOf, KIND, resultOf, type Update, updateOf, usernameOf } from './wire.ts'

const HOST = 'https://api.telegram.org'
const TIMEOUT_MS = 10_000
/** Long-polling timeout of getUpdates. */
const POLL_SECONDS = 25

export type BotApi = TelegramBot & {
  /** Long-polls for at most 100 updates from `offset` on; Telegram deletes earlier ones. @throws ProviderError, the signal's reason */
  updates(offset: number, signal: AbortSignal): Promise<Update[]>
  /** @throws ProviderError, the signal's reason */
  sendMessage(chatId: number, text: string, signal: AbortSignal): Promise<void>
}

export type BotApiDeps = { readonly http: Http; readonly token: string; readonly pollSeconds?: number }

/** Telegram's Bot API. Its URLs contain the token, so they must not appear in errors or the log. */
export function createBotApi({ http, token, pollSeconds = POLL_SECONDS }: BotApiDeps): BotApi {
  let username: string | null = null

  async function call(method: string, parameters: object, signal: AbortSignal, waitMs = 0): Promise<unknown> {
    const where = { provider: KIND, operation: method }
    const response = await http.send(
      { signal, requestId: randomUUID() },
      {
        where,
        method: 'POST',
        url: `${HOST}/bot${token}/${method}`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(parameters),
        patienceMs: waitMs + TIMEOUT_MS,
      },
    )
    const body = await response.json()
    const result = resultOf(body)
    if (response.status === 200 && result !== undefined) return result
    const { description, retryAfterMs } = failureOf(body)
    const message = `Telegram answered ${response.status} (${description.replaceAll(token, '…')}).`
    const detail = { message, ...(retryAfterMs !== null && { retryAfterMs }) }
    throw new ProviderError(codeOf(response.status), { ...where, status: response.status }, detail)
  }

  return {
    async username() {
      username ??= usernameOf(await call('getMe', {}, AbortSignal.timeout(TIMEOUT_MS)).catch(throwProviderError))
      if (username !== null) return username
      const where = { provider: KIND, operation: 'getMe' }
      throw new ProviderError('Transient', where, { message: 'Telegram returned no username for the bot.' })
    },
    async updates(offset, signal) {
      const parameters = { offset, timeout: pollSeconds, allowed_updates: ['message'] }
      const found = await call('getUpdates', parameters, signal, pollSeconds * 1000)
      return Array.isArray(found) ? found.map(updateOf).filter((update) => update !== null) : []
    },
    async sendMessage(chatId, text, signal) {
      await call('sendMessage', { chat_id: chatId, text }, signal)
    },
  }
}

const BY_STATUS: Readonly<Record<number, ProviderErrorCode>> = {
  // An unknown and a malformed token.
  401: 'Misconfigured',
  404: 'Misconfigured',
  403: 'Forbidden',
  409: 'Conflict',
  429: 'RateLimited',
}

function codeOf(status: number): ProviderErrorCode {
  return status >= 500 ? 'Transient' : (BY_STATUS[status] ?? 'Permanent')
}

function throwProviderError(error: unknown): never {
  if (error instanceof ProviderError) throw error
  const message = 'Telegram did not answer in time.'
  throw new ProviderError('Transient', { provider: KIND, operation: 'getMe' }, { message, cause: error })
}
