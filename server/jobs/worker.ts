import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Logger as JobLogger, parseCronItems, run, type WorkerEvents } from 'graphile-worker'
import type pg from 'pg'
import type { Housekeeping } from '../domain/housekeeping.ts'
import type { Logger } from '../lib/logger.ts'
import type { Task } from './task.ts'

/** Some jobs wait for providers: they leave room for those that do not. Transfers run beside all of them. */
const CONCURRENCY = 4
/** How long a job may go on after its signal was aborted. */
const GRACE_MS = 5_000
/** A job that was taken this long ago by an answer that never came (its connection broke) is free again. */
const LOST_MS = 60_000
/** The queue gives up when its database was away for long: then it is started again after this time. */
const AGAIN_MS = 1_000

export type WorkerDeps = {
  readonly pool: pg.Pool
  readonly tasks: readonly Task[]
  readonly housekeeping: Housekeeping
  readonly logger: Logger
  /** Told by which name jobs are locked from now on, before the first one is. */
  readonly onName?: (name: string) => void
  /** For tests, which have no time. */
  readonly lostMs?: number
}

export type Worker = {
  /** Ends as `stop` does and begins again by another name: what ran may be under way elsewhere. */
  restart(): Promise<void>
  /** Takes no new job, aborts what runs and waits for it; what was aborted runs again later. Idempotent. */
  stop(): Promise<void>
}

type Run = {
  readonly stop: () => Promise<void>
  readonly ended: Promise<void>
  /** After its end: what it has locked still is free again. */
  readonly free: () => Promise<void>
}

/** Runs the queue's jobs in this process, until `stop`. Several processes may do so at once. */
export async function startWorker(deps: WorkerDeps): Promise<Worker> {
  let stopped = false
  let current = await startRun(deps)
  let changing: Promise<void> = Promise.resolve()
  watch(current)

  /** A run that ends by itself is followed by another one. */
  function watch(run: Run): void {
    run.ended
      .catch((err: unknown) => deps.logger.error({ err, area: 'jobs' }, 'Running jobs ended; it is begun again'))
      .then(() => sleep(AGAIN_MS, undefined, { ref: false }))
      .then(() => restart(run))
      .catch((err: unknown) => deps.logger.error({ err, area: 'jobs' }, 'Jobs could not be run'))
  }

  function restart(run: Run): Promise<void> {
    changing = changing.then(async () => {
      if (stopped || current !== run) return
      await current.stop()
      for (;;) {
        try {
          await current.free()
          current = await startRun(deps)
          return watch(current)
        } catch (err) {
          deps.logger.error({ err, area: 'jobs' }, 'Jobs cannot be run; that is tried again')
          await sleep(AGAIN_MS, undefined, { ref: false })
          if (stopped) return
        }
      }
    })
    return changing
  }

  return {
    restart: () => restart(current),
    async stop() {
      stopped = true
      await changing
      await current.stop()
    },
  }
}

async function startRun({ pool, tasks, housekeeping, logger, onName, lostMs = LOST_MS }: WorkerDeps): Promise<Run> {
  const stopping = new AbortController()
  const context = { housekeeping, signal: stopping.signal }
  const events: WorkerEvents = new EventEmitter()
  const begun = new Set<string>()
  let name = ''
  events.on('pool:create', ({ workerPool }) => {
    name = workerPool.id
    onName?.(name)
  })
  events.on('job:start', ({ job }) => begun.add(job.id))
  events.on('job:complete', ({ job }) => begun.delete(job.id))
  const freeing = setInterval(() => {
    freeLost(pool, name, [...begun], lostMs).catch((err: unknown) =>
      logger.warn({ err, area: 'jobs' }, 'Lost jobs were not freed'),
    )
  }, lostMs / 2).unref()
  const runner = await run({
    pgPool: pool,
    concurrency: CONCURRENCY,
    noHandleSignals: true,
    gracefulShutdownAbortTimeout: GRACE_MS,
    // By itself the queue lets go of the end of a job unheard: where a connection breaks then, that would end this process.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    events,
    taskList: Object.fromEntries(
      tasks.map(({ name, perform }) => [name, (payload: unknown) => perform(payload, context)]),
    ),
    parsedCronItems: parseCronItems(tasks.flatMap(cronItem)),
    logger: new JobLogger(() => (level, message) => logger[LEVEL[level] ?? 'info']({ area: 'jobs' }, message)),
  })
  const ended = runner.promise
  ended.catch(() => undefined).finally(() => clearInterval(freeing))
  return {
    ended,
    free: () => freeLost(pool, name, [], 0),
    async stop() {
      if (stopping.signal.aborted) return ended.catch(() => undefined)
      stopping.abort()
      // A run that has ended by itself says so; there is nothing left to stop.
      await runner.stop().catch(() => undefined)
    },
  }
}

const FREE_LOST = `update graphile_worker._private_jobs set locked_at = null, locked_by = null
  where locked_by = $1 and locked_at < now() - make_interval(secs => $2) and id <> all($3::bigint[])`

/** Jobs that are locked by our name and were never begun. */
async function freeLost(pool: pg.Pool, name: string, begun: readonly string[], lostMs: number): Promise<void> {
  await pool.query(FREE_LOST, [name, lostMs / 1000, begun])
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
