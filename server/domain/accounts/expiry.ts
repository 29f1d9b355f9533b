import type { ClientBase, Pool } from 'pg'

/** Only the credentials that were refused count: those of a reconnect meanwhile are not meant. */
const EXPIRE = `update accounts set status = 'EXPIRED', status_reason = $2, unreachable_since = null, updated_at = now()
  where id = $1 and status = 'CONNECTED' and disconnected_at is null and provider <> 'local'
    and ($3::int is null or exists (select from account_credentials where account_id = $1 and version = $3))
  returning id`

/**
 * The provider refuses the account's credentials: until it is connected again, nothing works there.
 * @returns false when it was expired before, or has newer credentials than `version`
 */
export async function markExpired(
  sql: Pool | ClientBase,
  accountId: string,
  reason: string,
  version: number | null = null,
): Promise<boolean> {
  const { rowCount } = await sql.query(EXPIRE, [accountId, expiredBecause(reason), version])
  return rowCount === 1
}

/** What a call that began before a reconnect may say of the credentials of then. */
const FRESH = `select from account_credentials where account_id = $1 and updated_at > now() - interval '30 seconds'`

/** As markExpired, for hearsay: of credentials that are only just there it counts nothing; if it is true, it will be said again. */
export async function markExpiredUnlessFresh(pool: Pool, accountId: string, reason: string): Promise<boolean> {
  const { rowCount } = await pool.query(FRESH, [accountId])
  return rowCount === 0 && markExpired(pool, accountId, reason)
}

/** For people; `reason` is what the provider said. */
function expiredBecause(reason: string): string {
  return `The provider no longer accepts this connection (${reason.replace(/\.$/, '')}). Please re-connect the account.`
}
