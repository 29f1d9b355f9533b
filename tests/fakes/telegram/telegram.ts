import { createBlobs } from '../core/blobs.ts'
import type { Exchange, Service, ServiceOptions } from '../core/service.ts'
import { sendFile } from './channels.ts'
import { createCommands, type TelegramCommands } from './commands.ts'
import { METHODS } from './methods.ts'
import { parametersOf } from './parameters.ts'
import { type Bot, createBot, type State, TelegramError } from './state.ts'

export type TelegramOptions = ServiceOptions & { readonly token?: string; readonly botUsername?: string }

/** Known unless others are given. */
export const TELEGRAM_BOT = { token: '123456789:AAemulatedBotTokenOfTelegram0123456', username: 'SkypoolEmulatedBot' }

export type TelegramService = Service & { readonly commands: TelegramCommands }

/** What Telegram's Bot API does: messages between people and a bot, and channels with documents of any number of bots. */
export function createTelegram(options: TelegramOptions = {}): TelegramService {
  const { clock = Date.now, token = TELEGRAM_BOT.token, botUsername = TELEGRAM_BOT.username } = options
  const bot = createBot({ token, username: botUsername })
  const state: State = {
    bot,
    bots: new Map([[token, bot]]),
    people: new Map(),
    channels: new Map(),
    files: new Map(),
    blobs: createBlobs(),
    perMinute: null,
    nextUpdate: 100_000_001,
    nextMessage: 1,
    nextFile: 1,
    now: clock,
  }
  return {
    name: 'telegram',
    hosts: ['api.telegram.org'],
    handle: (exchange) => handle(state, exchange),
    commands: createCommands(state),
    close: () => state.blobs.close(),
  }
}

async function handle(state: State, exchange: Exchange): Promise<void> {
  try {
    const [, fileToken, path = ''] = /^\/file\/bot([^/]+)\/(.+)$/.exec(exchange.url.pathname) ?? []
    if (fileToken !== undefined) {
      await exchange.begin('file', botOf(state, fileToken)?.username ?? null)
      requireBot(state, fileToken)
      playFailures(exchange)
      return await sendFile(state, path, exchange)
    }
    await exchange.sendJson(200, { ok: true, result: await answer(state, exchange) })
  } catch (error) {
    if (!(error instanceof TelegramError)) throw error
    const { status, message: description, parameters } = error
    await exchange.sendJson(status, { ok: false, error_code: status, description, ...(parameters && { parameters }) })
  }
}

const botOf = ({ bots }: State, token: string | undefined): Bot | undefined => bots.get(token ?? '')

function requireBot(state: State, token: string | undefined): Bot {
  const bot = botOf(state, token)
  if (token === undefined || !/^\d+:[\w-]+$/.test(token)) throw new TelegramError(404, 'Not Found')
  if (!bot) throw new TelegramError(401, 'Unauthorized')
  return bot
}

async function answer(state: State, exchange: Exchange): Promise<unknown> {
  const [, token, name = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(exchange.url.pathname) ?? []
  const method = METHODS[name.toLowerCase()]
  await exchange.begin(method?.name ?? 'unknown', botOf(state, token)?.username ?? null)
  const bot = requireBot(state, token)
  if (!method) throw new TelegramError(404, 'Not Found')
  playFailures(exchange)
  return method.run(state, bot, await parametersOf(exchange), exchange)
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
