import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createPool } from '../../../server/db/pool.ts'
import type { Housekeeping } from '../../../server/domain/jobs.ts'
import { attemptsOf } from '../../../server/jobs/allTasks.ts'
import { task } from '../../../server/jobs/task.ts'
import { startWorker, type Worker } from '../../../server/jobs/worker.ts'
import { createLogger } from '../../../server/lib/logger.ts'
import { createEnqueue } from '../../../server/queue/enqueue.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'

const enqueue = createEnqueue(attemptsOf)
const logger = createLogger('silent')
const errors = vi.spyOn(logger, 'error')
const wasLogged = (text: string) => errors.mock.calls.some(([, message]) => message?.includes(text))
const ofFirst = () => wasLogged('Failed to complete jobs')

const LEFT = `select from graphile_worker._private_jobs where payload ->> 'userId' = $1`

let database: TestDatabase
let pool: pg.Pool
let worker: Worker
let done: string[]
let begun: string[]
/** Kinds of jobs that may end. */
let open: Set<string>
/** Called before the statement with this name is sent: it breaks the connection by which it goes, at the moment it chooses. */
let before: Map<string, (cut: () => void) => Promise<void> | void>
let unhandled: unknown[]
const note = (error: unknown) => unhandled.push(error)

const gated = task({
  name: 'purgeFiles',
  input: z.object({ userId: z.string() }),
  attempts: 3,
  async run({ input: { userId }, signal }) {
    begun.push(userId)
    const endsAtOnce = begun.filter((id) => id === userId).length > 1
    while (!(endsAtOnce || open.has(userId))) {
      await sleep(10)
      if (userId === 'long') signal.throwIfAborted()
    }
    if (userId === 'failing' && !endsAtOnce) throw new Error('as it is called')
    done.push(userId)
  },
})

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

beforeEach(async () => {
  done = []
  begun = []
  open = new Set(['next', 'wakes'])
  before = new Map()
  unhandled = []
  errors.mockClear()
  await database.pool.query('delete from graphile_worker._private_jobs')
  process.on('unhandledRejection', note)
  pool = createPool(database.connection)
  pool.on('connect', hook)
  worker = await startWorker({ pool, tasks: [gated], housekeeping: {} as Housekeeping, logger, lostMs: 1_000 })
})
afterEach(async () => {
  for (const userId of begun) open.add(userId)
  await worker.stop()
  await pool.end()
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})

/** Lets `before` see the statements of graphile-worker by their names. */
function hook(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>
  const cut = () => (client as unknown as pg.Client).connection.stream.destroy()
  client.query = (async (statement: { name?: string }, ...more: unknown[]) => {
    const name = statement?.name?.split('/')[0] ?? ''
    const act = before.get(name)
    before.delete(name)
    await act?.(cut)
    return query(statement, ...more)
  }) as typeof client.query
}

const isStored = async (userId: string) => {
  const { rowCount } = await database.pool.query(LEFT, [userId])
  return rowCount === 0
}
const add = (userId: string) => enqueue(database.db, 'purgeFiles', { userId })

/** All run, and the end of `first` cannot be stored. */
async function breakAtEndOfFirst(...others: string[]): Promise<void> {
  for (const userId of ['first', ...others]) await add(userId)
  await expect.poll(() => begun).toEqual(expect.arrayContaining(['first', ...others]))
  before.set('complete_job', (cut) => cut())
  open.add('first')
  await expect.poll(ofFirst).toBe(true)
}

describe('a connection that breaks at the end of a job', () => {
  it('does not stop the queue when other jobs end after it, well or not', async () => {
    await breakAtEndOfFirst('second', 'failing')
    open.add('second')
    await expect.poll(() => isStored('second')).toBe(true)
    open.add('failing')
    await add('next')
    await expect.poll(() => done).toContain('next')
  })

  it('lets no job that takes long keep the others waiting', async () => {
    await breakAtEndOfFirst('long')
    await add('next')
    await expect.poll(() => done).toContain('next')
  })

  it('does not stop the queue when the next request for a job is cut off as well', async () => {
    let cutRequest = () => {}
    const asked = new Promise<void>((resolve) =>
      before.set('get_job', (cut) => {
        resolve()
        return new Promise((go) => {
          cutRequest = () => {
            cut()
            go()
          }
        })
      }),
    )
    await add('wakes')
    await asked
    await breakAtEndOfFirst('second')
    cutRequest()
    open.add('second')
    await add('next')
    await expect.poll(() => done).toContain('next')
  })
})
