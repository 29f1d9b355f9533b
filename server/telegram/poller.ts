import { setTimeout as sleep } from 'node:timers/promises'
import type { LeaderLock } from '../db/locks.ts'
import type { TelegramInbox } from '../domain/telegram/service.ts'
import type { Logger } from '../lib/logger.ts'
import { ProviderError } from '../providers/errors.ts'
import type { BotApi } from './api.ts'
import type { Update } from './wire.ts'

/** "telg": identifies the lock in pg_locks. */
export const POLLER_LOCK = 0x74656c67

/** Delays; shorter in tests. */
export type Pauses = { readonly lockMs: number; readonly firstMs: number; readonly longestMs: number }
const PAUSES: Pauses = { lockMs: 5_000, firstMs: 1_000, longestMs: 60_000 }

export type PollerDeps = {
  readonly api: BotApi
  readonly inbox: TelegramInbox
  readonly lock: LeaderLock
  readonly logger: Logger
  readonly pauses?: Partial<Pauses>
}

export type Poller = { stop(): Promise<void> }

/**
 * Polls Telegram for messages to the bot, in one process at a time, because Telegram aborts a poll when another one arrives. A
 * message is acknowledged after the domain has processed it; after a crash it is delivered again.
 */
export function startPoller(deps: PollerDeps): Poller {
  const stopping = new AbortController()
  const { signal } = stopping
  const done = poll(deps, { ...PAUSES, ...deps.pauses }, signal)
  return {
    async stop() {
      stopping.abort()
      await done
      await deps.lock.release()
    },
  }
}

async function poll(deps: PollerDeps, pauses: Pauses, signal: AbortSignal): Promise<void> {
  let offset = 0
  let failures = 0
  while (!signal.aborted) {
    try {
      if (!(await deps.lock.acquire())) {
        await pause(pauses.lockMs, signal)
        continue
      }
      for (const update of await deps.api.updates(offset, signal)) {
        // After being suspended, a server would answer messages that another server has already answered.
        if (!(await deps.lock.held())) break
        await handle(deps, update, signal)
        offset = update.id + 1
      }
      failures = 0
    } catch (error) {
      if (signal.aborted) return
      failures += 1
      logFailure(deps.logger, error, failures)
      await pause(
        Math.max(retryAfterOf(error), Math.min(pauses.firstMs * 2 ** (failures - 1), pauses.longestMs)),
        signal,
      )
    }
  }
}

/** A reply that cannot be sent is logged; the message still counts as processed. */
async function handle({ api, inbox, logger }: PollerDeps, { message }: Update, signal: AbortSignal): Promise<void> {
  if (!message) return
  const answer = await inbox.receive(message)
  if (answer === null) return
  await api.sendMessage(message.chatId, answer, signal).catch((error: unknown) => {
    if (!signal.aborted) logger.warn({ reason: reasonOf(error) }, 'The Telegram bot could not reply')
  })
}

/** Logs only the first failure of an outage. */
function logFailure(logger: Logger, error: unknown, failures: number): void {
  if (failures > 1) return
  if (!(error instanceof ProviderError)) {
    logger.error({ err: error }, 'Processing a message to the Telegram bot failed; it is retried')
  } else if (error.code === 'Misconfigured') {
    logger.error('Telegram does not accept TELEGRAM_BOT_TOKEN')
  } else if (error.code === 'Conflict') {
    logger.error(
      { reason: reasonOf(error) },
      'Another program polls the messages of this Telegram bot; each installation needs its own bot',
    )
  } else {
    logger.warn({ reason: reasonOf(error) }, 'Polling the Telegram bot failed; it is retried')
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function retryAfterOf(error: unknown): number {
  return error instanceof ProviderError ? (error.detail.retryAfterMs ?? 0) : 0
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined)
}
