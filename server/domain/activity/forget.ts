import type pg from 'pg'

/** Rows of one statement: the table is not held for long. */
const BATCH = 5_000

const FORGET = `delete from activities where id in (
  select id from activities where at < now() - interval '1 year' order by at limit $1)`

/** Forgets what happened more than a year ago. */
export async function forgetActivities(pool: pg.Pool, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { rowCount } = await pool.query(FORGET, [BATCH])
    if ((rowCount ?? 0) < BATCH) return
  }
}
