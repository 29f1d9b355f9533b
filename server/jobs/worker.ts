import { Logger as JobLogger, parseCronItems, run } from 'graphile-worker'
import type pg from 'pg'
import type { Housekeeping } from '../domain/housekeeping.ts'
import type { Logger } from '../lib/logger.ts'
import type { Task } from './task.ts'

/** Some jobs wait for providers: they leave room for those that do not. Transfers run beside all of them. */
const CONCURRENCY = 4
/** How long a job may go on after its signal was aborted. */
const GRACE_MS = 5_000

export type WorkerDeps = {
  readonly pool: pg.Pool
  readonly tasks: readonly Task[]
  readonly housekeeping: Housekeeping
  readonly logger: Logger
}

export type Worker = {
  /** Takes no new job, aborts what runs and waits for it; what was aborted runs again later. Idempotent. */
  stop(): Promise<void>
}

/** Runs the queue's jobs in this process, until `stop`. Several processes may do so at once. */
export async function startWorker({ pool, tasks, housekeeping, logger }: WorkerDeps): Promise<Worker> {
  const stopping = new AbortController()
  const context = { housekeeping, signal: stopping.signal }
  const runner = await run({
    pgPool: pool,
    concurrency: CONCURRENCY,
    noHandleSignals: true,
    gracefulShutdownAbortTimeout: GRACE_MS,
    taskList: Object.fromEntries(
      tasks.map(({ name, perform }) => [name, (payload: unknown) => perform(payload, context)]),
    ),
    parsedCronItems: parseCronItems(tasks.flatMap(cronItem)),
    logger: new JobLogger(() => (level, message) => logger[LEVEL[level] ?? 'info']({ area: 'jobs' }, message)),
  })
  return {
    async stop() {
      if (stopping.signal.aborted) return runner.promise
      stopping.abort()
      await runner.stop()
    },
  }
}

/** The queue reports every start and end at "info": those are our "debug". */
const LEVEL: Readonly<Record<string, 'error' | 'warn' | 'debug' | 'trace'>> = {
  error: 'error',
  warning: 'warn',
  info: 'debug',
  debug: 'trace',
}

/** Hourly and daily work missed within this time, because no server ran at that minute, is done at the next start. */
const BACKFILL_MS = 3_600_000

function cronItem({ name, cron, attempts }: Task) {
  if (cron === null) return []
  // What runs every few minutes comes round soon enough; filled in, it would queue one job for each time missed.
  const backfillPeriod = cron.startsWith('*') ? 0 : BACKFILL_MS
  return [{ task: name, match: cron, options: { maxAttempts: attempts, backfillPeriod } }]
}
