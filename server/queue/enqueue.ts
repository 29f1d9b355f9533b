import { runMigrations } from 'graphile-worker'
import type pg from 'pg'
import type { Enqueue, JobName } from '../domain/jobs.ts'
import { currentCause, noteOf } from '../lib/cause.ts'

const ADD_JOB = `select from graphile_worker.add_job(
  $1::text, payload := $2::json, max_attempts := $3::int, job_key := $4::text,
  run_at := now() + make_interval(secs => $5::float8))`

/** Migrates the queue's tables (schema graphile_worker). */
export async function migrateQueue(pool: pg.Pool): Promise<void> {
  await runMigrations({ pgPool: pool })
}

const UNLOCK = `select graphile_worker.force_unlock_workers(
  array(select distinct locked_by from graphile_worker._private_jobs where locked_by is not null))`

/** Unlocks the jobs of killed processes, which the queue itself would do after four hours. Only while no other process runs jobs. */
export async function unlockJobs(pool: pg.Pool): Promise<void> {
  await pool.query(UNLOCK)
}

/** Unlocks the jobs of these workers, whose servers have died. */
export async function unlockJobsOf(client: pg.ClientBase, workers: readonly string[]): Promise<void> {
  if (workers.length > 0) await client.query('select graphile_worker.force_unlock_workers($1::text[])', [workers])
}

const UNLOCK_UNREGISTERED = `select graphile_worker.force_unlock_workers(array(
    select locked_by from (
      select locked_by, locked_at from graphile_worker._private_jobs where locked_at is not null
      union all select locked_by, locked_at from graphile_worker._private_job_queues where locked_at is not null
    ) as locks
    where locked_at < now() - make_interval(secs => $1)
      and not exists (select from servers where worker = locked_by)))`

/** Unlocks jobs locked at least `silenceMs` ago by workers that belong to no registered server, because it died before it registered them. */
export async function unlockUnregistered(pool: pg.Pool, silenceMs: number): Promise<void> {
  await pool.query(UNLOCK_UNREGISTERED, [silenceMs / 1000])
}

const UNLOCK_LOST = `update graphile_worker._private_jobs set locked_at = null, locked_by = null
  where locked_by = $1 and locked_at < now() - make_interval(secs => $2) and id <> all($3::bigint[])`

/** Unlocks jobs that this worker has locked for longer than `lostMs` without starting them (`begun` lists the started ones). */
export async function unlockLost(
  pool: pg.Pool,
  worker: string,
  begun: readonly string[],
  lostMs: number,
): Promise<void> {
  await pool.query(UNLOCK_LOST, [worker, lostMs / 1000, begun])
}

/** Jobs note what led to them, where causes are followed. `attemptsOf`: the maximum number of attempts per kind of job. */
export function createEnqueue(attemptsOf: (name: JobName) => number): Enqueue {
  return async (tx, name, input, { key = null, delaySeconds = 0 } = {}) => {
    const cause = noteOf(currentCause())
    const values = [name, JSON.stringify(cause ? { ...input, cause } : input), attemptsOf(name), key, delaySeconds]
    if ('$executeRawUnsafe' in tx) await tx.$executeRawUnsafe(ADD_JOB, ...values)
    else await tx.query(ADD_JOB, values)
  }
}
