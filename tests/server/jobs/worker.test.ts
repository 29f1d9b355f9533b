import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Housekeeping } from '../../../server/domain/jobs.ts'
import { attemptsOf } from '../../../server/jobs/allTasks.ts'
import { task } from '../../../server/jobs/task.ts'
import { startWorker, type Worker } from '../../../server/jobs/worker.ts'
import { createLogger } from '../../../server/lib/logger.ts'
import { createEnqueue, unlockJobs } from '../../../server/queue/enqueue.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'

const enqueue = createEnqueue(attemptsOf)
const begun: string[] = []
const done: string[] = []
let failuresLeft = 0
let aborted = false
let cuts = 0
/** As when another server has taken this one for dead; the connection that asks goes last. */
const CUT_OTHERS = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() order by pid = pg_backend_pid()`

const recording = task({
  name: 'purgeFiles',
  input: z.object({ userId: z.string() }),
  attempts: 3,
  async run({ input, signal }) {
    begun.push(input.userId)
    if (input.userId === 'slow') await sleep(30_000, null, { signal }).catch(() => (aborted = true))
    else if (input.userId.startsWith('cut')) {
      await database.pool.query(CUT_OTHERS).catch(() => undefined)
      // Whether it succeeds or fails, its end is told over a connection that is closed.
      if (input.userId === 'cut and failed' && cuts++ === 0) throw new Error('cut')
      done.push(input.userId)
    } else if (failuresLeft-- > 0) throw new Error('not yet')
    else done.push(input.userId)
  },
})

let database: TestDatabase
let worker: Worker
beforeAll(async () => {
  database = await createTestDatabase()
  const housekeeping = {} as Housekeeping // the task above asks for nothing
  worker = await startWorker({
    pool: database.pool,
    tasks: [recording],
    housekeeping,
    logger: createLogger('silent'),
    lostMs: 1_000,
  })
})
afterAll(async () => {
  await worker.stop()
  await database.close()
})

describe('jobs of each minute', () => {
  const HOUR_AGO = `update graphile_worker._private_known_crontabs set known_since = now() - interval '1 day',
    last_execution = now() - interval '1 hour'`

  it('go on at the start, and what was missed earlier is left out', async () => {
    const own = await createTestDatabase()
    const runs: boolean[] = []
    const clock = task({
      name: 'wakeTransfers',
      // What the clock has added.
      input: z.object({ _cron: z.object({ backfilled: z.boolean() }) }).transform(({ _cron }) => {
        runs.push(_cron.backfilled)
        return {}
      }),
      attempts: 1,
      cron: '* * * * *',
      run: async () => undefined,
    })
    const options = { pool: own.pool, tasks: [clock], housekeeping: {} as Housekeeping, logger: createLogger('silent') }
    const known = async () => (await own.pool.query('select from graphile_worker._private_known_crontabs')).rowCount
    const first = await startWorker(options)
    await expect.poll(known).toBe(1)
    await first.stop()
    await own.pool.query(HOUR_AGO)
    runs.length = 0
    const second = await startWorker(options)
    await expect.poll(() => runs.length).toBeGreaterThan(0)
    expect(runs.filter((isBackfilled) => isBackfilled)).toEqual([true])
    await second.stop()
    await own.close()
  })
})

describe('a job', () => {
  it('runs once its transaction has committed, Prisma or not', async () => {
    await database.db.$transaction((tx) => enqueue(tx, 'purgeFiles', { userId: 'by prisma' }))
    const client = await database.pool.connect()
    await client.query('begin')
    await enqueue(client, 'purgeFiles', { userId: 'by sql' })
    await sleep(100)
    expect(done).not.toContain('by sql')
    await client.query('commit')
    client.release()
    await expect.poll(() => done.toSorted()).toEqual(['by prisma', 'by sql'])
  })

  it('does not run when its transaction rolls back', async () => {
    const lost = database.db.$transaction(async (tx) => {
      await enqueue(tx, 'purgeFiles', { userId: 'lost' })
      throw new Error('rolled back')
    })
    await expect(lost).rejects.toThrow('rolled back')
    const { rows } = await database.pool.query('select count(*)::int as count from graphile_worker.jobs')
    expect(rows).toEqual([{ count: 0 }])
  })

  it('waits under its key in place of an older one', async () => {
    const later = { key: 'purge ann', delaySeconds: 3600 }
    await enqueue(database.db, 'purgeFiles', { userId: 'ann' }, later)
    await enqueue(database.db, 'purgeFiles', { userId: 'ann' }, { ...later, delaySeconds: 0 })
    await expect.poll(() => done.filter((userId) => userId === 'ann')).toEqual(['ann'])
  })

  it('is tried again after it failed', async () => {
    failuresLeft = 1
    await enqueue(database.db, 'purgeFiles', { userId: 'second try' })
    await expect.poll(() => done).toContain('second try')
  })

  it.each(['cut', 'cut and failed'])(
    'whose connections break at its end (%s) ends no process, and the next ones run',
    async (userId) => {
      const unhandled: unknown[] = []
      const note = (error: unknown) => unhandled.push(error)
      process.on('unhandledRejection', note)
      await enqueue(database.db, 'purgeFiles', { userId })
      await expect.poll(() => done).toContain(userId)
      const next = `after ${userId}`
      await expect
        .poll(() =>
          enqueue(database.db, 'purgeFiles', { userId: next }).then(
            () => true,
            () => false,
          ),
        )
        .toBe(true)
      await expect.poll(() => done).toContain(next)
      // Those that were taken by an answer that was cut off are free again.
      const left = async () => (await database.pool.query('select from graphile_worker.jobs')).rowCount
      await expect.poll(left).toBe(0)
      process.off('unhandledRejection', note)
      expect(unhandled).toEqual([])
    },
    90_000,
  )

  it('of a kind that only a newer server knows waits for it, and fields that it has added do no harm', async () => {
    const add = `select graphile_worker.add_job($1, $2::json)`
    await database.pool.query(add, ['paintFiles', JSON.stringify({ hue: 1 })])
    await database.pool.query(add, ['purgeFiles', JSON.stringify({ userId: 'after it', hue: 1 })])
    await expect.poll(() => done).toContain('after it')
    const waiting = `select attempts, locked_at from graphile_worker.jobs where task_identifier = 'paintFiles'`
    expect((await database.pool.query(waiting)).rows).toEqual([{ attempts: 0, locked_at: null }])
    const painted: number[] = []
    const newer = task({
      name: 'paintFiles' as 'purgeFiles',
      input: z.object({ hue: z.number() }) as never,
      attempts: 3,
      run: async ({ input }) => void painted.push((input as unknown as { hue: number }).hue),
    })
    const logger = createLogger('silent')
    const server = await startWorker({ pool: database.pool, tasks: [newer], housekeeping: {} as Housekeeping, logger })
    await expect.poll(() => painted).toEqual([1])
    await expect.poll(async () => (await database.pool.query(waiting)).rowCount).toBe(0)
    await server.stop()
  })

  it('is told to stop when the server stops, and stays in the queue', async () => {
    await enqueue(database.db, 'purgeFiles', { userId: 'slow' })
    await expect.poll(() => begun).toContain('slow')
    await worker.stop()
    expect(aborted).toBe(true)
    const left = async () => (await database.pool.query('select attempts, last_error from graphile_worker.jobs')).rows
    await expect.poll(left).toMatchObject([{ attempts: 1, last_error: expect.stringContaining('abort') }])
  })

  it('of a process that was killed runs again', async () => {
    await database.pool.query(`delete from graphile_worker._private_jobs`)
    await enqueue(database.db, 'purgeFiles', { userId: 'begun' })
    await database.pool.query(`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'dead'`)
    await unlockJobs(database.pool)
    const deps = { pool: database.pool, tasks: [recording], housekeeping: {} as Housekeeping }
    const next = await startWorker({ ...deps, logger: createLogger('silent') })
    await expect.poll(() => done).toContain('begun')
    await next.stop()
  })
})
