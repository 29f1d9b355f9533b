import { InvalidInputError, UnauthenticatedError } from '../errors.ts'
import { createThrottle, type ThrottleRule } from '../users/throttle.ts'
import type { PeopleDeps } from './deps.ts'

const GUESSES: ThrottleRule = { limit: 10, windowSeconds: 300, longestDelaySeconds: 900 }

/** Who has shown that they know their password, and what it is stored as. */
export type Confirmed = { readonly email: string; readonly emailKey: string; readonly passwordHash: string }

export function guessesKey(userId: string): string {
  return `password:${userId}`
}

/**
 * Whoever sits down at somebody else's open browser does not get past this.
 * @param path of the field that holds the password
 * @throws InvalidInputError, TooManyRequestsError
 */
export async function confirmPassword(
  { pool, passwords }: Pick<PeopleDeps, 'pool' | 'passwords'>,
  userId: string,
  password: string,
  path: string,
): Promise<Confirmed> {
  const throttle = createThrottle(pool)
  await throttle.take(guessesKey(userId), GUESSES)
  const { rows } = await pool.query<Confirmed>(
    `select email, email_key as "emailKey", password_hash as "passwordHash" from users where id = $1 and deleted_at is null`,
    [userId],
  )
  const user = rows[0]
  if (!user) throw new UnauthenticatedError()
  if (!(await passwords.verify(user.passwordHash, password))) {
    throw new InvalidInputError([{ path, message: 'That password is not right. Please try again.' }])
  }
  await throttle.clear(guessesKey(userId))
  return user
}
