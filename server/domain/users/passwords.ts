import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import type pg from 'pg'
import { createRankedSemaphore } from '../../lib/semaphore.ts'
import type { Mailer } from '../../mail/mailer.ts'
import type { ActivityLog } from '../activity/contract.ts'
import { BusyError, InvalidInputError, UnauthenticatedError } from '../errors.ts'
import type { Events } from '../events.ts'
import type { Enqueue } from '../jobs.ts'
import { createThrottle, type ThrottleRule } from './throttle.ts'

/** OWASP's floor: 19 MiB, two passes, one lane; argon2id is the library's default. */
const PARAMETERS = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 }
const CURRENT = `$argon2id$v=19$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}$`
/** Hashing takes 12 ms of a core and 19 MiB: without a bound a burst of logins would starve everything else. */
const PARALLEL_HASHES = 2
/** Whoever signs in goes before whoever signs up or sets a password: what is refused of the second kind locks nobody out. */
const CHECK = 0
const MAKE = 1
/** Two seconds and one of work on a core that is free. */
const MOST_WAITING = [160, 80] as const
const RETRY_AFTER_SECONDS = 5

export type Passwords = {
  /** @throws BusyError when too many wait, as `verify` */
  hash(password: string): Promise<string>
  /** With `stored` null (no such user) it does the same work against a decoy and answers false. */
  verify(stored: string | null, password: string): Promise<boolean>
  /** Whether the hash was made with other parameters than today's. */
  isOutdated(stored: string): boolean
}

export function createPasswords(): Passwords {
  const inTurn = createRankedSemaphore(PARALLEL_HASHES, MOST_WAITING, () => new BusyError(RETRY_AFTER_SECONDS))
  const hashNow = (password: string) => inTurn(MAKE, () => hash(password.normalize('NFKC'), PARAMETERS))
  let decoy: Promise<string> | undefined
  return {
    hash: hashNow,
    async verify(stored, password) {
      decoy ??= hash(randomBytes(32).toString('hex'), PARAMETERS)
      const target = stored ?? (await decoy)
      const matches = await inTurn(CHECK, () => verify(target, password.normalize('NFKC')))
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
