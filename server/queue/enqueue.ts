import { runMigrations } from 'graphile-worker'
import type pg from 'pg'
import type { Enqueue, JobName } from '../domain/jobs.ts'

const ADD_JOB = `select from graphile_worker.add_job(
  $1::text, payload := $2::json, max_attempts := $3::int, job_key := $4::text,
  run_at := now() + make_interval(secs => $5::float8))`

/** Brings the queue's own tables (schema graphile_worker) up to date. */
export async function migrateQueue(pool: pg.Pool): Promise<void> {
  await runMigrations({ pgPool: pool })
}

const UNLOCK = `select graphile_worker.force_unlock_workers(
  array(select distinct locked_by from graphile_worker._private_jobs where locked_by is not null))`

/** Lets jobs run again that a killed process had begun; the queue itself would wait four hours. Only while no other process works. */
export async function unlockJobs(pool: pg.Pool): Promise<void> {
  await pool.query(UNLOCK)
}

/** `attemptsOf`: how often each kind of job is tried. */
export function createEnqueue(attemptsOf: (name: JobName) => number): Enqueue {
  return async (tx, name, input, { key = null, delaySeconds = 0 } = {}) => {
    const values = [name, JSON.stringify(input), attemptsOf(name), key, delaySeconds]
    if ('$executeRawUnsafe' in tx) await tx.$executeRawUnsafe(ADD_JOB, ...values)
    else await tx.query(ADD_JOB, values)
  }
}
