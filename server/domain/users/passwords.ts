import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import type pg from 'pg'
import { createRankedSemaphore } from '../../lib/concurrency.ts'
import type { Mailer } from '../../mail/mailer.ts'
import type { ActivityLog } from '../activity/contract.ts'
import { BusyError, InvalidInputError, UnauthenticatedError } from '../errors.ts'
import type { Events } from '../events.ts'
import type { Enqueue } from '../jobs.ts'
import { createThrottle, type ThrottleRule } from './throttle.ts'

/** OWASP's minimum: 19 MiB, two passes, one lane; argon2id is the library's default. */
const PARAMETERS = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 }
const CURRENT = `$argon2id$v=19$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}$`
/** A hash takes 12 ms of a core and 19 MiB: without a limit, a burst of logins would starve all other requests. */
const PARALLEL_HASHES = 2
/** Sign-ins have priority over registrations and new passwords: refusing the latter locks no user out. */
const CHECK = 0
const MAKE = 1
/** Queue limits: two seconds of work for CHECK, one for MAKE, on an idle core. */
const MOST_WAITING = [160, 80] as const
const RETRY_AFTER_SECONDS = 5

export type Passwords = {
  /** @throws BusyError when the queue is full; `verify` too */
  hash(password: string): Promise<string>
  /** With `stored` null (no such user) it does the same work against a decoy and returns false. */
  verify(stored: string | null, password: string): Promise<boolean>
  /** Whether the hash has other than the current parameters. */
  isOutdated(stored: string): boolean
}

export function createPasswords(): Passwords {
  const limited = createRankedSemaphore(PARALLEL_HASHES, MOST_WAITING, () => new BusyError(RETRY_AFTER_SECONDS))
  const hashNow = (password: string) => limited(MAKE, () => hash(password.normalize('NFKC'), PARAMETERS))
  let decoy: Promise<string> | undefined
  return {
    hash: hashNow,
    async verify(stored, password) {
      decoy ??= hash(randomBytes(32).toString('hex'), PARAMETERS)
      const target = stored ?? (await decoy)
      const matches = await limited(CHECK, () => verify(target, password.normalize('NFKC')))
      return matches && stored !== null
    },
    isOutdated: (stored) => !stored.startsWith(CURRENT),
  }
}

export type PeopleDeps = {
  readonly pool: pg.Pool
  readonly enqueue: Enqueue
  readonly activity: ActivityLog
  readonly events: Pick<Events, 'publish'>
  readonly passwords: Passwords
  readonly mailer: Pick<Mailer, 'forget'>
}

const GUESSES: ThrottleRule = { limit: 10, windowSeconds: 300, longestDelaySeconds: 900 }

/** A user whose password was verified, with its stored hash. */
export type Confirmed = { readonly email: string; readonly emailKey: string; readonly passwordHash: string }

export function guessesKey(userId: string): string {
  return `password:${userId}`
}

/**
 * Requires the password again, against misuse of an unattended browser.
 * @param path of the password's field
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
