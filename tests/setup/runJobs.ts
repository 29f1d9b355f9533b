import { setImmediate } from 'node:timers/promises'
import { Logger, runOnce, type TaskList } from 'graphile-worker'
import type { Pool } from 'pg'
import type { Housekeeping } from '../../server/domain/jobs.ts'
import { ALL_TASKS } from '../../server/jobs/allTasks.ts'
import './queueMemory.ts'

const STILL_LOCKED = 'select from graphile_worker._private_jobs where locked_at is not null limit 1'

/**
 * @returns a function that runs every due job of this database with these services. It resolves once they are gone from
 * the queue: the worker itself does not wait until the last one is removed.
 */
export function createRunJobs(pool: Pool, housekeeping: Housekeeping): () => Promise<void> {
  const signal = new AbortController().signal
  const taskList: TaskList = Object.fromEntries(
    ALL_TASKS.map(({ name, perform }) => [name, (payload: unknown) => perform(payload, { housekeeping, signal })]),
  )
  return async () => {
    await runOnce({ pgPool: pool, noHandleSignals: true, taskList, logger: new Logger(() => () => {}) })
    while ((await pool.query(STILL_LOCKED)).rowCount) await setImmediate()
  }
}
