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

/** The same for the jobs of these workers, whose servers are dead. */
export async function unlockJobsOf(client: pg.ClientBase, workers: readonly string[]): Promise<void> {
  if (workers.length > 0) await client.query('select graphile_worker.force_unlock_workers($1::text[])', [workers])
}

const UNLOCK_STRANGERS = `select graphile_worker.force_unlock_workers(array(
    select locked_by from (
      select locked_by, locked_at from graphile_worker._private_jobs where locked_at is not null
      union all select locked_by, locked_at from graphile_worker._private_job_queues where locked_at is not null
    ) as locks
    where locked_at < now() - make_interval(secs => $1)
      and not exists (select from servers where worker = locked_by)))`

/** The same for jobs that were locked that long ago by workers of no server in the register: they died before they were entered. */
export async function unlockStrangers(pool: pg.Pool, silenceMs: number): Promise<void> {
  await pool.query(UNLOCK_STRANGERS, [silenceMs / 1000])
}

/** `attemptsOf`: how often each kind of job is tried. */
export function createEnqueue(attemptsOf: (name: JobName) => number): Enqueue {
  return async (tx, name, input, { key = null, delaySeconds = 0 } = {}) => {
    const values = [name, JSON.stringify(input), attemptsOf(name), key, delaySeconds]
    if ('$executeRawUnsafe' in tx) await tx.$executeRawUnsafe(ADD_JOB, ...values)
    else await tx.query(ADD_JOB, values)
  }
}
