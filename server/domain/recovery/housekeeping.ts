import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { Mailer } from '../../mail/mailer.ts'
import type { RecoveryHousekeeping } from '../housekeeping.ts'
import { noticeMail, resetMail } from './mails.ts'
import { hashOfToken } from './service.ts'

const TOKEN_BYTES = 32

export type RecoveryHousekeepingDeps = {
  readonly pool: pg.Pool
  readonly mailer: Mailer
  /** Where people reach this server: by its settings, never by what a request says. */
  readonly siteUrl: () => string
}

const ISSUE = `insert into password_resets (user_id, token_hash, expires_at)
  select id, $2, now() + interval '24 hours' from users where id = $1 and deleted_at is null
  on conflict (user_id) do update
    set token_hash = excluded.token_hash, expires_at = excluded.expires_at, created_at = now()`

export function createRecoveryHousekeeping({ pool, mailer, siteUrl }: RecoveryHousekeepingDeps): RecoveryHousekeeping {
  async function addressOf(userId: string): Promise<string | null> {
    const text = 'select email from users where id = $1 and deleted_at is null'
    return (await pool.query<{ email: string }>(text, [userId])).rows[0]?.email ?? null
  }

  return {
    async mailPasswordReset(userId) {
      const token = randomBytes(TOKEN_BYTES).toString('base64url')
      const to = await addressOf(userId)
      if (to === null || !(await pool.query(ISSUE, [userId, hashOfToken(token)])).rowCount) return
      await mailer.send(resetMail(to, siteUrl(), token))
    },

    async mailNotice({ userId, notice }) {
      const to = await addressOf(userId)
      if (to !== null) await mailer.send(noticeMail(to, siteUrl(), notice))
    },

    async forgetResets() {
      await pool.query('delete from password_resets where expires_at < now()')
    },
  }
}
