import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { transaction } from '../../db/pool.ts'
import { emailKey, isEmail, networkOf } from '../../lib/addresses.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { newId } from '../../lib/ids.ts'
import { isLanguage, type Language } from '../../lib/languages.ts'
import type { Mailer } from '../../mail/mailer.ts'
import type { ActivityLog } from '../activity/contract.ts'
import { InvalidInputError, InvalidTokenError } from '../errors.ts'
import type { RecoveryHousekeeping } from '../housekeeping.ts'
import type { Enqueue } from '../jobs.ts'
import type { RecoveryService } from './contract.ts'
import { type Addressee, noticeMail, resetMail } from './mails.ts'
import { createDevices, createThrottle, type Passwords, type ThrottleRule } from './passwords.ts'
import { passwordErrors } from './sessions.ts'

const ASKED_PER_ACCOUNT: ThrottleRule = { limit: 5, windowSeconds: 3600, longestDelaySeconds: null }
const ASKED_PER_NETWORK: ThrottleRule = { limit: 20, windowSeconds: 3600, longestDelaySeconds: null }
const TOKENS_PER_NETWORK: ThrottleRule = { limit: 20, windowSeconds: 60, longestDelaySeconds: null }

export type RecoveryDeps = {
  readonly pool: pg.Pool
  readonly enqueue: Enqueue
  readonly activity: ActivityLog
  readonly passwords: Passwords
  readonly encryption: Pick<Encryption, 'sign' | 'verify'>
}

const FIND = `select u.id, u.email from password_resets r join users u on u.id = r.user_id
  where r.token_hash = $1 and r.expires_at > now() and u.deleted_at is null`

/** Of concurrent requests with the same token, only one finds the row. */
const USE_UP = 'delete from password_resets where token_hash = $1 and expires_at > now() returning user_id'

export function createRecoveryService(deps: RecoveryDeps): RecoveryService {
  const { pool, enqueue, activity } = deps
  const throttle = createThrottle(pool)
  const devices = createDevices(deps.encryption)
  return {
    async forgot(email, { address, userAgent, language }) {
      if (!isEmail(email.trim())) {
        throw new InvalidInputError([{ path: 'email', message: 'Please enter a valid email address.' }])
      }
      const key = emailKey(email)
      await throttle.take(`forgot-from:${networkOf(address)}`, ASKED_PER_NETWORK)
      await throttle.take(`forgot:${key}`, ASKED_PER_ACCOUNT)
      const { rows } = await pool.query<{ id: string }>(
        'select id from users where email_key = $1 and deleted_at is null',
        [key],
      )
      const known = rows[0]?.id
      // Same work for an unknown address: a job that finds no user.
      const userId = known ?? newId()
      await transaction(pool, (tx) =>
        enqueue(tx, 'mailPasswordReset', { userId, language }, { key: `reset ${userId}` }),
      )
      if (known) activity.record({ kind: 'VISITOR', userId, address, userAgent }, { action: 'PASSWORD_RESET_ASKED' })
    },

    async reset({ token, password }, { address, userAgent, deviceOf, language }) {
      const network = `reset:${networkOf(address)}`
      await throttle.take(network, TOKENS_PER_NETWORK)
      const userId = await setPassword(deps, { tokenHash: hashOfToken(token), password, language })
      await throttle.refund(network)
      activity.record({ kind: 'VISITOR', userId, address, userAgent }, { action: 'PASSWORD_RESET' })
      return { userId, device: devices.issue(userId, deviceOf?.(userId) ?? null) }
    },
  }
}

/** Stored form of a token. */
function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** @returns the user's id. @throws InvalidTokenError, InvalidInputError */
async function setPassword(
  deps: RecoveryDeps,
  { tokenHash, password, language }: { tokenHash: Buffer; password: string; language: Language | undefined },
): Promise<string> {
  const { rows } = await deps.pool.query<{ id: string; email: string }>(FIND, [tokenHash])
  const user = rows[0]
  if (!user) throw new InvalidTokenError()
  const errors = passwordErrors('password', password, user.email)
  if (errors.length > 0) throw new InvalidInputError(errors)
  const passwordHash = await deps.passwords.hash(password)
  await transaction(deps.pool, async (tx) => {
    // Lock the user's row first, like a password change, so that the two cannot deadlock.
    await tx.query('select from users where id = $1 for update', [user.id])
    if ((await tx.query(USE_UP, [tokenHash])).rowCount !== 1) throw new InvalidTokenError()
    await tx.query('update users set password_hash = $2, updated_at = now() where id = $1', [user.id, passwordHash])
    await tx.query('delete from sessions where user_id = $1', [user.id])
    await deps.enqueue(tx, 'mailNotice', { userId: user.id, notice: 'PASSWORD_RESET', language })
  })
  return user.id
}

const TOKEN_BYTES = 32

export type RecoveryHousekeepingDeps = {
  readonly pool: pg.Pool
  readonly mailer: Mailer
  /** Public URL of this server, from its settings, never from a request. */
  readonly siteUrl: () => string
}

const ISSUE = `insert into password_resets (user_id, token_hash, expires_at)
  select id, $2, now() + interval '24 hours' from users where id = $1 and deleted_at is null
  on conflict (user_id) do update
    set token_hash = excluded.token_hash, expires_at = excluded.expires_at, created_at = now()`

export function createRecoveryHousekeeping({ pool, mailer, siteUrl }: RecoveryHousekeepingDeps): RecoveryHousekeeping {
  /** The user's own language, else that of whoever asked. */
  async function find(userId: string, asked: Language | undefined): Promise<Addressee | null> {
    const text = 'select email, language from users where id = $1 and deleted_at is null'
    const user = (await pool.query<{ email: string; language: string | null }>(text, [userId])).rows[0]
    if (!user) return null
    const chosen = user.language ?? undefined
    return { email: user.email, language: isLanguage(chosen) ? chosen : (asked ?? 'en') }
  }

  return {
    async mailPasswordReset({ userId, language }) {
      const token = randomBytes(TOKEN_BYTES).toString('base64url')
      const to = await find(userId, language)
      if (to === null || !(await pool.query(ISSUE, [userId, hashOfToken(token)])).rowCount) return
      await mailer.send(resetMail(to, siteUrl(), token))
    },

    async mailNotice({ userId, notice, about, language }) {
      const to = await find(userId, language)
      if (to !== null) await mailer.send(noticeMail(to, siteUrl(), notice, about))
    },

    async forgetResets() {
      await pool.query('delete from password_resets where expires_at < now()')
    },
  }
}
