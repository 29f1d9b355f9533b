import type { PoolClient } from 'pg'
import { transaction } from '../../db/pool.ts'
import { ConflictError, InvalidInputError, UnauthenticatedError } from '../errors.ts'
import { sessionOf, type Viewer } from '../viewer.ts'
import type { PeopleService, SignedIn, UsersService } from './contract.ts'
import { deleteUser } from './deletion.ts'
import { nameErrors, passwordErrors } from './entry.ts'
import { type Confirmed, confirmPassword, type PeopleDeps } from './passwords.ts'
import { endOtherSessions, endSession, listSessions, renewSession } from './sessions.ts'

export function createPeopleService(deps: PeopleDeps & { readonly me: UsersService['me'] }): PeopleService {
  return {
    sessions: (viewer) => listSessions(deps.pool, viewer),
    endSession: (viewer, id) => endSession(deps, viewer, id),
    endOtherSessions: (viewer) => endOtherSessions(deps, viewer),
    changeName: (viewer, fullName) => changeName(deps, viewer, fullName),
    changePassword: async (viewer, input) => ({
      ...(await changePassword(deps, viewer, input)),
      user: await deps.me(viewer),
    }),
    deleteUser: (viewer, input) => deleteUser(deps, viewer, input),
  }
}

const RENAME = `update users u set full_name = $2, updated_at = now()
  from (select id, full_name from users where id = $1 and deleted_at is null for update) was
  where u.id = was.id returning was.full_name as from`

/** @throws InvalidInputError */
async function changeName({ pool, activity }: PeopleDeps, viewer: Viewer, fullName: string): Promise<void> {
  sessionOf(viewer)
  const errors = nameErrors('fullName', fullName)
  if (errors.length > 0) throw new InvalidInputError(errors)
  const to = fullName.trim().normalize('NFC')
  const { rows } = await pool.query<{ from: string }>(RENAME, [viewer.userId, to])
  const [changed] = rows
  if (!changed) throw new UnauthenticatedError()
  if (changed.from === to) return
  const subject = { type: 'User', id: viewer.userId, name: to } as const
  activity.record({ kind: 'VIEWER', viewer }, { action: 'NAME_CHANGED', subject, details: { from: changed.from, to } })
}

export type PasswordChange = { readonly currentPassword: string; readonly newPassword: string }

/**
 * The current session continues with a new token; all others, and open password resets, end.
 * @throws InvalidInputError, TooManyRequestsError, ConflictError when the password was changed elsewhere in the meantime
 */
async function changePassword(
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
