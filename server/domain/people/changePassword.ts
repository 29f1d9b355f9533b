import type { PoolClient } from 'pg'
import { transaction } from '../../db/transaction.ts'
import { ConflictError, InvalidInputError } from '../errors.ts'
import type { SignedIn } from '../services.ts'
import { passwordErrors } from '../users/rules.ts'
import { renewSession } from '../users/sessions.ts'
import { sessionOf, type Viewer } from '../viewer.ts'
import { type Confirmed, confirmPassword } from './confirm.ts'
import type { PeopleDeps } from './deps.ts'

export type PasswordChange = { readonly currentPassword: string; readonly newPassword: string }

/**
 * The session that asks goes on under a new token; all others, and a reset under way, are over.
 * @throws InvalidInputError, TooManyRequestsError, ConflictError when it was changed elsewhere meanwhile
 */
export async function changePassword(
  deps: PeopleDeps,
  viewer: Viewer,
  { currentPassword, newPassword }: PasswordChange,
): Promise<Omit<SignedIn, 'user' | 'device'>> {
  const sessionId = sessionOf(viewer)
  const confirmed = await confirmPassword(deps, viewer.userId, currentPassword, 'currentPassword')
  const errors = passwordErrors('newPassword', newPassword, confirmed.email)
  if (errors.length > 0) throw new InvalidInputError(errors)
  const passwordHash = await deps.passwords.hash(newPassword)
  const renewed = await transaction(deps.pool, async (tx) => {
    await storePassword(tx, viewer.userId, confirmed, passwordHash)
    await tx.query('delete from sessions where user_id = $1 and id <> $2', [viewer.userId, sessionId])
    await deps.enqueue(tx, 'mailNotice', { userId: viewer.userId, notice: 'PASSWORD_CHANGED' })
    return renewSession(tx, sessionId)
  })
  deps.activity.record({ kind: 'VIEWER', viewer }, { action: 'PASSWORD_CHANGED' })
  deps.events.publish('accessChanged', viewer.userId, {})
  return renewed
}

async function storePassword(tx: PoolClient, userId: string, was: Confirmed, passwordHash: string): Promise<void> {
  const { rowCount } = await tx.query(
    'update users set password_hash = $3, updated_at = now() where id = $1 and password_hash = $2 and deleted_at is null',
    [userId, was.passwordHash, passwordHash],
  )
  if (rowCount !== 1) throw new ConflictError('The password was changed elsewhere at the same time. Please try again.')
  await tx.query('delete from password_resets where user_id = $1', [userId])
}
