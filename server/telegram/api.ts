import { randomUUID } from 'node:crypto'
import type { TelegramBot } from '../domain/telegram/service.ts'
import { ProviderError, type ProviderErrorCode } from '../providers/errors.ts'
import type { Http } from '../providers/shared/http.ts'
import { failureOf, KIND, resultOf, type Update, updateOf, usernameOf } from './wire.ts'

const HOST = 'https://api.telegram.org'
const PATIENCE_MS = 10_000
/** How long Telegram lets a question for updates wait. */
const POLL_SECONDS = 25

export type BotApi = TelegramBot & {
  /** From `offset` on, at most 100; those before it are forgotten there. Waits for the first one. @throws ProviderError, the signal's reason */
  updates(offset: number, signal: AbortSignal): Promise<Update[]>
  /** @throws ProviderError, the signal's reason */
  sendMessage(chatId: number, text: string, signal: AbortSignal): Promise<void>
}

export type BotApiDeps = { readonly http: Http; readonly token: string; readonly pollSeconds?: number }

/** Telegram's Bot API. The token is a part of its addresses: none of them goes into an error or the log. */
export function createBotApi({ http, token, pollSeconds = POLL_SECONDS }: BotApiDeps): BotApi {
  let username: string | null = null

  async function ask(method: string, parameters: object, signal: AbortSignal, waitMs = 0): Promise<unknown> {
    const where = { provider: KIND, operation: method }
    const response = await http.send(
      { signal, requestId: randomUUID() },
      {
        where,
        method: 'POST',
        url: `${HOST}/bot${token}/${method}`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(parameters),
        patienceMs: waitMs + PATIENCE_MS,
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
      username ??= usernameOf(await ask('getMe', {}, AbortSignal.timeout(PATIENCE_MS)).catch(asFailure))
      if (username !== null) return username
      const where = { provider: KIND, operation: 'getMe' }
      throw new ProviderError('Transient', where, { message: 'Telegram did not name the bot.' })
    },
    async updates(offset, signal) {
      const parameters = { offset, timeout: pollSeconds, allowed_updates: ['message'] }
      const found = await ask('getUpdates', parameters, signal, pollSeconds * 1000)
      return Array.isArray(found) ? found.map(updateOf).filter((update) => update !== null) : []
    },
    async sendMessage(chatId, text, signal) {
      await ask('sendMessage', { chat_id: chatId, text }, signal)
    },
  }
}

const BY_STATUS: Readonly<Record<number, ProviderErrorCode>> = {
  // A token that Telegram does not know, and one that cannot be one.
  401: 'Misconfigured',
  404: 'Misconfigured',
  403: 'Forbidden',
  409: 'Conflict',
  429: 'RateLimited',
}

function codeOf(status: number): ProviderErrorCode {
  return status >= 500 ? 'Transient' : (BY_STATUS[status] ?? 'Permanent')
}

function asFailure(error: unknown): never {
  if (error instanceof ProviderError) throw error
  const message = 'Telegram did not answer in time.'
  throw new ProviderError('Transient', { provider: KIND, operation: 'getMe' }, { message, cause: error })
}
