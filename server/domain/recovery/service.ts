import { createHash } from 'node:crypto'
import type pg from 'pg'
import { transaction } from '../../db/transaction.ts'
import { newId } from '../../lib/ids.ts'
import type { Sealing } from '../../lib/sealing.ts'
import { InvalidInputError, InvalidTokenError } from '../errors.ts'
import type { Enqueue } from '../jobs.ts'
import type { ActivityLog } from '../services/activity.ts'
import type { RecoveryService } from '../services/people.ts'
import { createDevices } from '../users/devices.ts'
import { emailKey, isEmail, networkOf } from '../users/emails.ts'
import type { Passwords } from '../users/passwords.ts'
import { passwordErrors } from '../users/rules.ts'
import { createThrottle, type ThrottleRule } from '../users/throttle.ts'

const ASKED_PER_ACCOUNT: ThrottleRule = { limit: 5, windowSeconds: 3600, longestDelaySeconds: null }
const ASKED_PER_NETWORK: ThrottleRule = { limit: 20, windowSeconds: 3600, longestDelaySeconds: null }
const TOKENS_PER_NETWORK: ThrottleRule = { limit: 20, windowSeconds: 60, longestDelaySeconds: null }

export type RecoveryDeps = {
  readonly pool: pg.Pool
  readonly enqueue: Enqueue
  readonly activity: ActivityLog
  readonly passwords: Passwords
  readonly sealing: Pick<Sealing, 'sign' | 'isSigned'>
}

const FIND = `select u.id, u.email from password_resets r join users u on u.id = r.user_id
  where r.token_hash = $1 and r.expires_at > now() and u.deleted_at is null`

/** Of several at once with the same token, one finds the row. */
const USE_UP = 'delete from password_resets where token_hash = $1 and expires_at > now() returning user_id'

export function createRecoveryService(deps: RecoveryDeps): RecoveryService {
  const { pool, enqueue, activity } = deps
  const throttle = createThrottle(pool)
  const devices = createDevices(deps.sealing)
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
      // For nobody the same work is done: a job that finds no one.
      const userId = known ?? newId()
      await transaction(pool, (tx) => enqueue(tx, 'mailPasswordReset', { userId }, { key: `reset ${userId}` }))
      if (known) activity.record({ kind: 'VISITOR', userId, address, userAgent }, { action: 'PASSWORD_RESET_ASKED' })
    },

    async reset({ token, password }, { address, userAgent, deviceOf }) {
      const network = `reset:${networkOf(address)}`
      await throttle.take(network, TOKENS_PER_NETWORK)
      const userId = await setPassword(deps, hashOfToken(token), password)
      await throttle.giveBack(network)
      activity.record({ kind: 'VISITOR', userId, address, userAgent }, { action: 'PASSWORD_RESET' })
      return { userId, device: devices.give(userId, deviceOf?.(userId) ?? null) }
    },
  }
}

/** What of a token is stored. */
export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** @returns whose it was. @throws InvalidTokenError, InvalidInputError */
async function setPassword(deps: RecoveryDeps, tokenHash: Buffer, password: string): Promise<string> {
  const { rows } = await deps.pool.query<{ id: string; email: string }>(FIND, [tokenHash])
  const user = rows[0]
  if (!user) throw new InvalidTokenError()
  const errors = passwordErrors('password', password, user.email)
  if (errors.length > 0) throw new InvalidInputError(errors)
  const passwordHash = await deps.passwords.hash(password)
  await transaction(deps.pool, async (tx) => {
    // The user's row first, as a change of the password locks it, so that the two wait for each other in one order.
    await tx.query('select from users where id = $1 for update', [user.id])
    if ((await tx.query(USE_UP, [tokenHash])).rowCount !== 1) throw new InvalidTokenError()
    await tx.query('update users set password_hash = $2, updated_at = now() where id = $1', [user.id, passwordHash])
    await tx.query('delete from sessions where user_id = $1', [user.id])
    await deps.enqueue(tx, 'mailNotice', { userId: user.id, notice: 'PASSWORD_RESET' })
  })
  return user.id
}
