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

/** `attemptsOf`: how often each kind of job is tried. */
export function createEnqueue(attemptsOf: (name: JobName) => number): Enqueue {
  return async (tx, name, input, { key = null, delaySeconds = 0 } = {}) => {
    const values = [name, JSON.stringify(input), attemptsOf(name), key, delaySeconds]
    if ('$executeRawUnsafe' in tx) await tx.$executeRawUnsafe(ADD_JOB, ...values)
    else await tx.query(ADD_JOB, values)
  }
}
