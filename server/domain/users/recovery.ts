import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { transaction } from '../../db/pool.ts'
import { emailKey, isEmail, networkOf } from '../../lib/addresses.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { newId } from '../../lib/ids.ts'
import type { Mail, Mailer } from '../../mail/mailer.ts'
import type { ActivityLog } from '../activity/contract.ts'
import { InvalidInputError, InvalidTokenError } from '../errors.ts'
import type { RecoveryHousekeeping } from '../housekeeping.ts'
import type { Enqueue } from '../jobs.ts'
import type { RecoveryService } from './contract.ts'
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
    async forgot(email, { address, userAgent }) {
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
      await transaction(pool, (tx) => enqueue(tx, 'mailPasswordReset', { userId }, { key: `reset ${userId}` }))
      if (known) activity.record({ kind: 'VISITOR', userId, address, userAgent }, { action: 'PASSWORD_RESET_ASKED' })
    },

    async reset({ token, password }, { address, userAgent, deviceOf }) {
      const network = `reset:${networkOf(address)}`
      await throttle.take(network, TOKENS_PER_NETWORK)
      const userId = await setPassword(deps, hashOfToken(token), password)
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
async function setPassword(deps: RecoveryDeps, tokenHash: Buffer, password: string): Promise<string> {
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
    await deps.enqueue(tx, 'mailNotice', { userId: user.id, notice: 'PASSWORD_RESET' })
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

    async mailNotice({ userId, notice, about }) {
      const to = await addressOf(userId)
      if (to !== null) await mailer.send(noticeMail(to, siteUrl(), notice, about))
    },

    async forgetResets() {
      await pool.query('delete from password_resets where expires_at < now()')
    },
  }
}

/** Events that a user is notified of by mail. */
export const NOTICES = ['PASSWORD_CHANGED', 'PASSWORD_RESET', 'SHARE_REPORTED', 'FILES_RECEIVED'] as const
export type Notice = (typeof NOTICES)[number]

/** Contains no user-provided text, so that registering with another person's address cannot be used to send them messages. */
function resetMail(to: string, siteUrl: string, token: string): Mail {
  return {
    to,
    subject: 'Reset your Skypool password',
    text: `Hello,

someone asked to reset the password of your Skypool account. If that was you, choose a new one here:

${siteUrl}/reset-password?token=${token}

The link works once and expires in 24 hours.

If it was not you, there is nothing to do: your password stays as it is.
`,
  }
}

function noticeMail(to: string, siteUrl: string, notice: Notice, about?: string): Mail {
  if (notice === 'SHARE_REPORTED') return reportMail(to, siteUrl)
  if (notice === 'FILES_RECEIVED') return receivedMail(to, siteUrl, about)
  return {
    to,
    subject: 'Your Skypool password was changed',
    text: `Hello,

${WHAT_HAPPENED[notice]}

If that was you, there is nothing to do.

If it was not you, please reset your password at once:

${siteUrl}/forgot-password
`,
  }
}

function reportMail(to: string, siteUrl: string): Mail {
  return {
    to,
    subject: 'A visitor reported one of your Skypool links',
    text: `Hello,

a visitor of one of your public links has reported it. Which link and for what reason is in your activity log:

${siteUrl}/settings

If the report is right, please end the link. If it is not, there is nothing to do.
`,
  }
}

/** Contains no text of visitors. `title`: the owner's own, of the link. */
function receivedMail(to: string, siteUrl: string, title?: string): Mail {
  return {
    to,
    subject: 'Files have arrived through your Skypool upload link',
    text: `Hello,

visitors have sent files through your upload link${title === undefined ? '' : ` “${title}”`}. You find them in its folder:

${siteUrl}/file-manager/shared

Who sent what is in your activity log. To get no more of these mails, change the link.
`,
  }
}

const WHAT_HAPPENED: Readonly<Record<Exclude<Notice, 'SHARE_REPORTED' | 'FILES_RECEIVED'>, string>> = {
  PASSWORD_CHANGED:
    'the password of your Skypool account was changed in the settings. Every other browser that was signed in has been signed out.',
  PASSWORD_RESET:
    'the password of your Skypool account was reset with a link from a mail. Every browser that was signed in has been signed out.',
}
