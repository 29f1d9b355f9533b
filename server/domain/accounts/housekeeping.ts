import type pg from 'pg'

/** As long as the trash keeps. */
const KEEP_DISCONNECTED = '30 days'

/**
 * Forgets authorizations whose ten minutes are over, and accounts that were disconnected 30 days ago and that nothing is left of:
 * before that, connecting the same login again brings the account back.
 */
export async function forgetAuthorizations(pool: pg.Pool): Promise<void> {
  await pool.query('delete from oauth_states where expires_at < now()')
  await pool.query(
    `delete from accounts a where a.disconnected_at < now() - interval '${KEEP_DISCONNECTED}'
       and not exists (select from pieces p where p.account_id = a.id)
       and not exists (select from upload_reservations r where r.account_id = a.id)`,
  )
}
