import { setTimeout as sleep } from 'node:timers/promises'
import type { SoleLock } from '../db/soleLock.ts'
import type { TelegramInbox } from '../domain/telegram/service.ts'
import type { Logger } from '../lib/logger.ts'
import { ProviderError } from '../providers/errors.ts'
import type { BotApi } from './api.ts'
import type { Update } from './wire.ts'

/** "skypool telegram", for whoever looks at pg_locks. */
export const POLLER_LOCK = 0x74656c67

/** For tests, which have no time. */
export type Pauses = { readonly lockMs: number; readonly firstMs: number; readonly longestMs: number }
const PAUSES: Pauses = { lockMs: 5_000, firstMs: 1_000, longestMs: 60_000 }

export type PollerDeps = {
  readonly api: BotApi
  readonly inbox: TelegramInbox
  readonly lock: SoleLock
  readonly logger: Logger
  readonly pauses?: Partial<Pauses>
}

export type Poller = { stop(): Promise<void> }

/**
 * Asks Telegram for what people write to the bot, one process of all at a time: Telegram ends a question when another comes. What
 * was heard is forgotten there only once the domain has it; after a crash it comes again.
 */
export function startPoller(deps: PollerDeps): Poller {
  const stopping = new AbortController()
  const { signal } = stopping
  const done = poll(deps, { ...PAUSES, ...deps.pauses }, signal)
  return {
    async stop() {
      stopping.abort()
      await done
      deps.lock.release()
    },
  }
}

async function poll(deps: PollerDeps, pauses: Pauses, signal: AbortSignal): Promise<void> {
  let offset = 0
  let failures = 0
  while (!signal.aborted) {
    try {
      if (!(await deps.lock.held())) {
        await rest(pauses.lockMs, signal)
        continue
      }
      for (const update of await deps.api.updates(offset, signal)) {
        await hear(deps, update, signal)
        offset = update.id + 1
      }
      failures = 0
    } catch (error) {
      if (signal.aborted) return
      failures += 1
      tell(deps.logger, error, failures)
      await rest(
        Math.max(retryAfterOf(error), Math.min(pauses.firstMs * 2 ** (failures - 1), pauses.longestMs)),
        signal,
      )
    }
  }
}

/** What the domain took counts, whether or not its answer reaches the person. */
async function hear({ api, inbox, logger }: PollerDeps, { message }: Update, signal: AbortSignal): Promise<void> {
  if (!message) return
  const answer = await inbox.receive(message)
  if (answer === null) return
  await api.sendMessage(message.chatId, answer, signal).catch((error: unknown) => {
    if (!signal.aborted) logger.warn({ reason: reasonOf(error) }, 'The Telegram bot could not answer')
  })
}

/** Once for each outage; an outage that lasts is not said again. */
function tell(logger: Logger, error: unknown, failures: number): void {
  if (failures > 1) return
  if (!(error instanceof ProviderError)) {
    logger.error({ err: error }, 'A message to the Telegram bot could not be taken; it is tried again')
  } else if (error.code === 'Misconfigured') {
    logger.error('Telegram does not accept TELEGRAM_BOT_TOKEN')
  } else if (error.code === 'Conflict') {
    logger.error(
      { reason: reasonOf(error) },
      'Somebody else asks for the messages of the Telegram bot; it needs a bot of its own',
    )
  } else {
    logger.warn({ reason: reasonOf(error) }, 'The Telegram bot cannot be asked; it is tried again')
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function retryAfterOf(error: unknown): number {
  return error instanceof ProviderError ? (error.detail.retryAfterMs ?? 0) : 0
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined)
}
