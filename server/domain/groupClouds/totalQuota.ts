import type pg from 'pg'

/** Raised by the database when a change would make all users together keep more on this server than TOTAL_QUOTA (migration total_quota). */
const TOTAL_QUOTA_EXCEEDED = 'SP507'

/** Keeps TOTAL_QUOTA where every process and the database itself finds it; null is no limit. */
export async function setTotalQuota(pool: Pick<pg.Pool, 'query'>, bytes: number | null): Promise<void> {
  await pool.query(
    `insert into server_limits (id, total_quota_bytes) values (1, $1)
     on conflict (id) do update set total_quota_bytes = excluded.total_quota_bytes
     where server_limits.total_quota_bytes is distinct from excluded.total_quota_bytes`,
    [bytes],
  )
}

export function isTotalQuotaError(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === TOTAL_QUOTA_EXCEEDED
}

/** Room under TOTAL_QUOTA, never negative, looked up once for each statement; null without a limit. */
const ROOM = '(select local_room_bytes())'

/** As SQL, of `accounts a`: its quota as placement counts with it. What this server holds for all bounds what it holds for each. */
export const QUOTA_STATE = `case when a.provider = 'local' and ${ROOM} is not null then 'KNOWN' else a.quota_state end`
export const QUOTA_BYTES = `case when a.provider = 'local'
  then least(a.quota_bytes, a.used_bytes + a.reserved_bytes + ${ROOM}) else a.quota_bytes end`
