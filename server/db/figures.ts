import type pg from 'pg'

export type JobFigures = {
  readonly task: string
  readonly waiting: number
  readonly running: number
  readonly givenUp: number
  /** Seconds since the oldest waiting one was due. */
  readonly oldest: number
}

export type TransferFigures = { readonly state: string; readonly count: number; readonly oldest: number }
export type AccountFigures = { readonly provider: string; readonly state: string; readonly count: number }

const JOBS = `select t.identifier as task,
    count(*) filter (where j.is_available and j.run_at <= now())::int as waiting,
    count(*) filter (where j.locked_at is not null)::int as running,
    count(*) filter (where j.locked_at is null and j.attempts >= j.max_attempts)::int as "givenUp",
    coalesce(extract(epoch from now() - min(j.run_at) filter (where j.is_available and j.run_at <= now())), 0)::float8 as oldest
  from graphile_worker._private_tasks t left join graphile_worker._private_jobs j on j.task_id = t.id
  group by t.identifier`

const TRANSFERS = `select state::text as state, count(*)::int as count,
    coalesce(extract(epoch from now() - min(coalesce(next_try_at, created_at)) filter (
      where state = 'WAITING' and copy_id is not null and (next_try_at is null or next_try_at <= now()))), 0)::float8 as oldest
  from transfers where state in ('WAITING', 'RUNNING', 'PAUSED', 'PARKED', 'FAILED') group by state`

const ACCOUNTS = `select provider, case when status <> 'CONNECTED' then 'expired'
      when unreachable_since is not null then 'unreachable'
      when paused_until > now() then 'paused' else 'connected' end as state, count(*)::int as count
  from accounts where provider <> 'local' and disconnected_at is null group by 1, 2`

/** The queue of all servers, by kind of job; also kinds of which there is none now. */
export async function readJobFigures(pool: pg.Pool): Promise<JobFigures[]> {
  return (await pool.query<JobFigures>(JOBS)).rows
}

/** Transfers of all users that have not ended, and those that failed. */
export async function readTransferFigures(pool: pg.Pool): Promise<TransferFigures[]> {
  return (await pool.query<TransferFigures>(TRANSFERS)).rows
}

/** Connected accounts of all users. Reads the whole table. */
export async function readAccountFigures(pool: pg.Pool): Promise<AccountFigures[]> {
  return (await pool.query<AccountFigures>(ACCOUNTS)).rows
}
