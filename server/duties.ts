import type pg from 'pg'
import type { Domain } from './compose.ts'
import type { EventHub } from './db/events.ts'
import { createLeaderLock, type LockSession } from './db/locks.ts'
import type { ActivityRecorder } from './domain/activity/log.ts'
import { type Duty, EVERY_SERVER } from './domain/events.ts'
import type { Task } from './jobs/task.ts'
import { startWorker, type Worker } from './jobs/worker.ts'
import { startKeyRotation } from './keyRotation.ts'
import type { Encryption } from './lib/encryption.ts'
import type { Logger } from './lib/logger.ts'
import type { BotApi } from './telegram/api.ts'
import { POLLER_LOCK, startPoller } from './telegram/poller.ts'

export type DutiesDeps = {
  readonly domain: Domain
  readonly pool: pg.Pool
  readonly queuePool: pg.Pool
  readonly leases: LockSession
  readonly events: EventHub
  readonly activity: ActivityRecorder
  readonly encryption: Encryption
  readonly tasks: readonly Task[]
  /** null: there is no Telegram bot. */
  readonly bot: BotApi | null
  readonly logger: Logger
  /** Called with the name that locks jobs from now on. */
  readonly onWorkerName: (name: string) => void
}

export type Duties = {
  readonly worker: Worker
  /** Releases all leases and waits for what is still active. Other servers continue it. */
  stop(): Promise<void>
}

/**
 * Starts everything that no request waits for, the role `worker`: jobs, transfers, copying jobs, probes, feeds, the bot, and the rotation
 * of the secret key. Each is found again by another server when this one ends.
 */
export async function startDuties(deps: DutiesDeps): Promise<Duties> {
  const { domain, pool, leases, events, bot, logger } = deps
  const { housekeeping, transfers, fileJobs, probe, feed, telegramInbox: inbox } = domain
  await housekeeping.uploads.sweepStaging(new AbortController().signal)
  const { queuePool, tasks, onWorkerName: onName } = deps
  const worker = await startWorker({ pool: queuePool, unlockPool: pool, tasks, housekeeping, logger, onName })
  transfers.start()
  fileJobs.start()
  probe.start()
  feed.start()
  const poller = bot && startPoller({ api: bot, inbox, lock: createLeaderLock(leases, POLLER_LOCK), logger })
  const keyRotation = startKeyRotation(deps)
  const stopping = new AbortController()
  const wakes: Readonly<Record<Duty, () => void>> = {
    transfers: transfers.wake,
    fileJobs: fileJobs.wake,
    feeds: feed.wake,
    keyRotation: keyRotation.wake,
  }
  const listening = wakeWhenDue(events, wakes, stopping.signal)
  return {
    worker,
    async stop() {
      stopping.abort()
      await Promise.all([
        listening,
        poller?.stop(),
        probe.close(),
        feed.close(),
        keyRotation.stop(),
        fileJobs.stop(),
        transfers.stop(),
        worker.stop(),
      ])
    },
  }
}

/** Servers without this role say when a request has made something due. All of it is also found by polling. */
async function wakeWhenDue(
  events: EventHub,
  wakes: Readonly<Record<Duty, () => void>>,
  signal: AbortSignal,
): Promise<void> {
  for await (const { duty } of events.subscribe('dutyDue', EVERY_SERVER, signal)) wakes[duty]?.()
}
