import type pg from 'pg'

/**
 * Forgets authorizations whose ten minutes are over, and disconnected accounts that nothing is left on: connecting the same login
 * again has nothing to heal there. What is still to be removed from one is remembered for a year.
 */
export async function forgetAuthorizations(pool: pg.Pool): Promise<void> {
  await pool.query('delete from oauth_states where expires_at < now()')
  await pool.query('delete from telegram_codes where expires_at < now()')
  await pool.query(
    `delete from accounts a where a.disconnected_at is not null
       and not exists (select from pieces p where p.account_id = a.id)
       and not exists (select from upload_reservations r where r.account_id = a.id)
       and (a.disconnected_at < now() - interval '1 year'
         or not exists (select from object_removals r where r.account_id = a.id and r.object_ref is not null))`,
  )
}
