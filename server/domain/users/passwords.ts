import { createHash, randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import type pg from 'pg'
import { createRankedSemaphore } from '../../lib/concurrency.ts'
import type { Encryption } from '../../lib/encryption.ts'
import type { Mailer } from '../../mail/mailer.ts'
import type { ActivityLog } from '../activity/contract.ts'
import { BusyError, InvalidInputError, TooManyRequestsError, UnauthenticatedError } from '../errors.ts'
import type { Events } from '../events.ts'
import type { Enqueue } from '../jobs.ts'

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

export type ThrottleRule = {
  /** Attempts per window. */
  readonly limit: number
  readonly windowSeconds: number
  /** null: each window starts at zero. Otherwise each attempt beyond the limit waits one more window, up to this delay. */
  readonly longestDelaySeconds: number | null
}

export type Throttle = {
  /** Counts an attempt before it is evaluated, so that parallel attempts cannot exceed the limit. @throws TooManyRequestsError */
  take(key: string, rule: ThrottleRule): Promise<void>
  /** Uncounts an attempt, after a success. */
  refund(key: string): Promise<void>
  /** Resets the key. */
  clear(key: string): Promise<void>
}

/** Updates the conflicting row only when it is not blocked: no returned row means refused. */
const TAKE = `
  insert into login_throttles as t (key, failures, window_start) values ($1, 1, now())
  on conflict (key) do update set
    failures = case when STALE then 1 else t.failures + 1 end,
    window_start = case when STALE then now() else t.window_start end,
    blocked_until = case
      when STALE or t.failures + 1 < $2 then null
      when $4::int is null then t.window_start + $3 * interval '1 second'
      else now() + least((t.failures + 2 - $2) * $3, $4::int) * interval '1 second' end
  where t.blocked_until is null or t.blocked_until <= now()
  returning failures`.replaceAll(
  'STALE',
  `now() >= coalesce(case when $4::int is not null then t.blocked_until end, t.window_start) + $3 * interval '1 second'`,
)

const WAIT = `select greatest(1, ceil(extract(epoch from blocked_until - now())))::int as seconds
  from login_throttles where key = $1`

/** Deletes rows that no rule uses any more; every attempt deletes a few, so the table stays within the attempts of an hour. */
const SWEEP = `delete from login_throttles where key in
  (select key from login_throttles where window_start < now() - interval '1 hour'
     and (blocked_until is null or blocked_until < now() - interval '1 hour') limit 20 for update skip locked)`

/** Counters in the database, by its clock: shared by all processes of an installation. */
export function createThrottle(pool: pg.Pool): Throttle {
  return {
    async take(key, { limit, windowSeconds, longestDelaySeconds }) {
      await pool.query(SWEEP)
      const taken = await pool.query(TAKE, [key, limit, windowSeconds, longestDelaySeconds])
      if (taken.rowCount) return
      const { rows } = await pool.query<{ seconds: number }>(WAIT, [key])
      throw new TooManyRequestsError(rows[0]?.seconds ?? 1)
    },
    async refund(key) {
      await pool.query(
        'update login_throttles set failures = greatest(failures - 1, 0), blocked_until = null where key = $1',
        [key],
      )
    },
    async clear(key) {
      await pool.query('delete from login_throttles where key = $1', [key])
    },
  }
}

const PURPOSE = 'known device'
const NONCE_BYTES = 16

export type Devices = {
  /** A device token for a browser on which the user has just authenticated; keeps the name of a valid earlier `token`. */
  issue(userId: string, token: string | null): string
  /** Name of the device, for counting its attempts; null for a token that was not issued for this user. */
  nameOf(userId: string, token: string | null): string | null
}

/**
 * Known devices: browsers on which a user has signed in before. A device token is `<name>.<signature>`: it grants no access, only
 * a separate rate limit for sign-in attempts, which other clients cannot exhaust.
 */
export function createDevices(encryption: Pick<Encryption, 'sign' | 'verify'>): Devices {
  const textOf = (userId: string, name: string) => JSON.stringify([userId, name])
  const nameOf = (userId: string, token: string | null) => {
    const [, name, signature] = /^([\w-]{22})\.([\w-]{43})$/.exec(token ?? '') ?? []
    if (name === undefined || signature === undefined) return null
    return encryption.verify(textOf(userId, name), PURPOSE, signature) ? name : null
  }
  return {
    issue(userId, token) {
      const name = nameOf(userId, token) ?? randomBytes(NONCE_BYTES).toString('base64url')
      return `${name}.${encryption.sign(textOf(userId, name), PURPOSE)}`
    },
    nameOf,
  }
}

/** Name of a user's device cookie; does not reveal the user. */
export function deviceCookieId(userId: string): string {
  return createHash('sha256').update(userId).digest('hex').slice(0, 16)
}
