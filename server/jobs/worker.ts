import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Logger as JobLogger, parseCronItems, run, type WorkerEvents } from 'graphile-worker'
import type pg from 'pg'
import type { Housekeeping } from '../domain/jobs.ts'
import { causeOf, withCause } from '../lib/cause.ts'
import type { Logger } from '../lib/logger.ts'
import { unlockLost } from '../queue/enqueue.ts'
import type { Task, TaskContext } from './task.ts'

/** More than one, because some jobs wait for providers. Transfers run outside the job queue. */
const CONCURRENCY = 4
/** How long running jobs may continue after their run has broken, and how long the ends of jobs may take to be stored. */
const GRACE_MS = 5_000
/** A job that was locked but never started, because the connection broke before the response, is unlocked after this time. */
const LOST_MS = 60_000
/** graphile-worker stops when the database is unavailable for long: it is restarted after this time. */
const RESTART_MS = 1_000

export type WorkerDeps = {
  readonly pool: pg.Pool
  /** For releasing lost jobs, when `pool` has only the connections of the queue itself. */
  readonly unlockPool?: pg.Pool
  readonly tasks: readonly Task[]
  readonly housekeeping: Housekeeping
  readonly logger: Logger
  /** Called with the name that locks jobs from now on, before the first job is locked. */
  readonly onName?: (name: string) => void
  /** Shorter in tests. */
  readonly lostMs?: number
}

export type Worker = {
  /** Stops as `stop` does and starts again with another name, because other servers may already run the jobs of the old one. */
  restart(): Promise<void>
  /** Starts no new job, aborts running ones and waits for them. Aborted jobs run again later. Idempotent. */
  stop(): Promise<void>
}

type Run = {
  readonly stop: () => Promise<void>
  readonly ended: Promise<void>
  /** Called after its end: unlocks the jobs that it still holds. */
  readonly free: () => Promise<void>
}

/** Runs the queue's jobs in this process until `stop`. Several processes may run jobs at once. */
export async function startWorker(deps: WorkerDeps): Promise<Worker> {
  let stopped = false
  let current = await startRun(deps)
  let changing: Promise<void> = Promise.resolve()
  watch(current)

  /** Restarts after a run that ended by itself. */
  function watch(run: Run): void {
    run.ended
      .catch((err: unknown) =>
        deps.logger.error({ err, area: 'jobs' }, 'The job runner stopped and is being restarted'),
      )
      .then(() => sleep(RESTART_MS, undefined, { ref: false }))
      .then(() => restart(run))
      .catch((err: unknown) => deps.logger.error({ err, area: 'jobs' }, 'The job runner could not be restarted'))
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
          deps.logger.error({ err, area: 'jobs' }, 'The job runner could not be started; retrying')
          await sleep(RESTART_MS, undefined, { ref: false })
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

async function startRun({
  pool,
  unlockPool = pool,
  tasks,
  housekeeping,
  logger,
  onName,
  lostMs = LOST_MS,
}: WorkerDeps): Promise<Run> {
  const stopping = new AbortController()
  const context = { housekeeping, signal: stopping.signal }
  const events: WorkerEvents = new EventEmitter()
  const jobsEnded = followShutdown(events, stopping)
  const begun = new Set<string>()
  let name = ''
  events.on('pool:create', ({ workerPool }) => {
    name = workerPool.id
    onName?.(name)
  })
  events.on('job:start', ({ job }) => begun.add(job.id))
  events.on('job:complete', ({ job }) => begun.delete(job.id))
  const freeing = setInterval(() => {
    unlockLost(unlockPool, name, [...begun], lostMs).catch((err: unknown) =>
      logger.warn({ err, area: 'jobs' }, 'Lost jobs were not unlocked'),
    )
  }, lostMs / 2).unref()
  const runner = await run({
    pgPool: pool,
    concurrency: CONCURRENCY,
    noHandleSignals: true,
    gracefulShutdownAbortTimeout: GRACE_MS,
    // Without batches, graphile-worker does not handle errors when it reports finished jobs: a broken connection would end this process.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    events,
    taskList: Object.fromEntries(
      tasks.map((task) => [task.name, (payload: unknown) => perform(task, payload, context, logger)]),
    ),
    parsedCronItems: parseCronItems(tasks.flatMap(cronItem)),
    logger: new JobLogger(() => (level, message) => {
      if (!message.includes(FEW_CONNECTIONS)) logger[LEVEL[level] ?? 'info']({ area: 'jobs' }, message)
    }),
  })
  const ended = Promise.race([runner.promise, jobsEnded.then(() => sleep(GRACE_MS, undefined, { ref: false }))])
  ended.catch(() => undefined).finally(() => clearInterval(freeing))
  return {
    ended,
    free: () => unlockLost(unlockPool, name, [], 0),
    async stop() {
      stopping.abort()
      // Rejects when the run already ends by itself.
      runner.stop().catch(() => undefined)
      await ended.catch(() => undefined)
    },
  }
}

/**
 * graphile-worker also shuts down by itself when it could not store the end of a job: it starts no more jobs and waits for the running ones,
 * which are aborted after GRACE_MS. If one of them ends in that time, its count of jobs to store is wrong, and its promise never resolves.
 * @returns a promise that resolves when no job runs any more, by the last event that is reliable then
 */
function followShutdown(events: WorkerEvents, stopping: AbortController): Promise<void> {
  events.on('pool:gracefulShutdown', () => setTimeout(() => stopping.abort(), GRACE_MS).unref())
  return new Promise((resolve) => {
    events.on('pool:gracefulShutdown:complete', () => resolve())
    events.on('pool:forcefulShutdown:complete', () => resolve())
    events.on('pool:forcefulShutdown:error', () => resolve())
  })
}

/** Intended: one connection that listens, and one for what jobs need for a moment. */
const FEW_CONNECTIONS = 'having maxPoolSize'
/** Runs one job as part of what has led to it, and logs its end with that. */
function perform(task: Task, payload: unknown, context: TaskContext, logger: Logger): Promise<void> {
  const noted = typeof payload === 'object' && payload !== null && 'cause' in payload ? causeOf(payload.cause) : null
  return withCause(noted, async () => {
    const startedAt = performance.now()
    let result = 'failed'
    try {
      await task.perform(payload, context)
      result = 'ok'
    } finally {
      logger.debug(
        { area: 'jobs', task: task.name, result, ms: Math.round(performance.now() - startedAt) },
        'job ended',
      )
    }
  })
}

/** graphile-worker logs every start and end of a job at "info", which is "debug" here. */
const LEVEL: Readonly<Record<string, 'error' | 'warn' | 'debug' | 'trace'>> = {
  error: 'error',
  warning: 'warn',
  info: 'debug',
  debug: 'trace',
}

/** Hourly and daily jobs missed within this time, because no server was running, run at the next start. */
const BACKFILL_MS = 3_600_000
/**
 * The same for jobs that run every few minutes: they continue at once if the database was away at the start of a minute. A longer time
 * would queue a job for each minute that was missed.
 */
const LAST_MINUTE_MS = 60_000

function cronItem({ name, cron, attempts }: Task) {
  if (cron === null) return []
  const backfillPeriod = cron.startsWith('*') ? LAST_MINUTE_MS : BACKFILL_MS
  return [{ task: name, match: cron, options: { maxAttempts: attempts, backfillPeriod } }]
}
