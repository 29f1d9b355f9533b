import type { Exchange, Service, ServiceOptions } from '../core/service.ts'
import { createCommands, type TelegramCommands } from './commands.ts'
import { METHODS } from './methods.ts'
import { parametersOf } from './parameters.ts'
import { type State, TelegramError } from './state.ts'

export type TelegramOptions = ServiceOptions & { readonly token?: string; readonly botUsername?: string }

/** Known unless others are given. */
export const TELEGRAM_BOT = { token: '123456789:AAemulatedBotTokenOfTelegram0123456', username: 'SkypoolEmulatedBot' }

export type TelegramService = Service & { readonly commands: TelegramCommands }

/** What Telegram's Bot API does with one bot: getMe, getUpdates by long polling, sendMessage. */
export function createTelegram(options: TelegramOptions = {}): TelegramService {
  const { clock = Date.now, token = TELEGRAM_BOT.token, botUsername = TELEGRAM_BOT.username } = options
  const state: State = {
    token,
    botUsername,
    people: new Map(),
    updates: [],
    nextUpdate: 100_000_001,
    nextMessage: 1,
    webhook: null,
    waiting: null,
    now: clock,
  }
  return {
    name: 'telegram',
    hosts: ['api.telegram.org'],
    handle: (exchange) => handle(state, exchange),
    commands: createCommands(state),
  }
}

async function handle(state: State, exchange: Exchange): Promise<void> {
  try {
    await exchange.sendJson(200, { ok: true, result: await answer(state, exchange) })
  } catch (error) {
    if (!(error instanceof TelegramError)) throw error
    const { status, message: description, parameters } = error
    await exchange.sendJson(status, { ok: false, error_code: status, description, ...(parameters && { parameters }) })
  }
}

async function answer(state: State, exchange: Exchange): Promise<unknown> {
  const [, token, name = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(exchange.url.pathname) ?? []
  const method = METHODS[name.toLowerCase()]
  await exchange.begin(method?.name ?? 'unknown')
  if (token === undefined || !/^\d+:[\w-]+$/.test(token)) throw new TelegramError(404, 'Not Found')
  if (token !== state.token) throw new TelegramError(401, 'Unauthorized')
  if (!method) throw new TelegramError(404, 'Not Found')
  playFailures(exchange)
  return method.run(state, await parametersOf(exchange), exchange)
}

function playFailures({ take }: Exchange): void {
  const limited = take('rateLimit')
  if (limited) {
    const seconds = limited.retryAfter ?? 1
    throw new TelegramError(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds })
  }
  const failed = take('serverError')
  if (failed) throw new TelegramError(failed.status ?? 502, 'Bad Gateway')
}
