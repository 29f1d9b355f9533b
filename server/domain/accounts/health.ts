import type pg from 'pg'
import { isWrite } from '../../providers/driver.ts'
import type { ProviderError, ProviderErrorCode } from '../../providers/errors.ts'
import type { Events } from '../events.ts'
import type { AfterChange } from './afterChange.ts'
import { markExpiredUnlessFresh } from './expiry.ts'

const FAILURES = 3
const UNREACHABLE_AFTER_MS = 20_000
/** A streak of failures ends when none came for so long. */
const FORGET_AFTER_MS = 120_000
/** That an account works, or still does not, is written down at most that often. */
const CONFIRM_EVERY_MS = 5_000

/** These are answers of the account itself: it is there. */
const ANSWERS: ReadonlySet<ProviderErrorCode> = new Set<ProviderErrorCode>([
  'RateLimited',
  'QuotaExceeded',
  'TooLarge',
  'NotFound',
  'Conflict',
  'BadName',
  'CursorReset',
])

const LOSE = `update accounts set unreachable_since = now() - make_interval(secs => $2), updated_at = now()
  where id = $1 and unreachable_since is null and status = 'CONNECTED' and disconnected_at is null and provider <> 'local'
  returning id`

/** A shorter pause is over before anybody has read of it. */
const WORTH_TELLING_MS = 5_000

const PAUSE = (column: 'paused_until' | 'writes_paused_until') => `update accounts
  set ${column} = greatest(${column}, now() + make_interval(secs => $2)) where id = $1 and disconnected_at is null
  returning user_id as "userId"`
const PAUSE_ALL = PAUSE('paused_until')
const PAUSE_WRITES = PAUSE('writes_paused_until')

const FIND_AGAIN = `update accounts set unreachable_since = null, updated_at = now()
  where id = $1 and unreachable_since is not null returning id`

/** What everybody who calls providers tells about how it went. Returns at once and never throws. */
export type AccountHealth = {
  failed(accountId: string, error: ProviderError): void
  worked(accountId: string): void
  /** Resolves when all that was told is written. */
  settled(): Promise<void>
}

export type AccountHealthDeps = {
  readonly pool: pg.Pool
  /** After the commit of each flip: states of files, repairs, news. */
  readonly afterChange: AfterChange
  readonly onError: (error: unknown) => void
  readonly events?: Pick<Events, 'publish'>
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number
}

type Streak = { readonly since: number; readonly last: number; readonly failures: number }

/**
 * Flips accounts between reachable, unreachable and expired. ReconnectNeeded expires at once; three failures to reach a provider
 * over more than 20 seconds make its account unreachable; any answer makes it reachable again. Of all other errors the account
 * is innocent. How long an account asks to be left alone is written down for its user.
 */
export function createAccountHealth(deps: AccountHealthDeps): AccountHealth {
  const { pool, afterChange, onError, events, now = () => performance.now() } = deps
  const streaks = new Map<string, Streak>()
  const told = new Map<string, { readonly reachable: boolean; readonly at: number }>()
  const writing = new Set<Promise<void>>()

  const write = (accountId: string, flip: () => Promise<boolean>, expired = false): void => {
    const run = async () => {
      if (await flip()) await afterChange(accountId, { expired })
    }
    const written: Promise<void> = run()
      .catch(onError)
      .finally(() => writing.delete(written))
    writing.add(written)
  }

  const tell = (accountId: string, reachable: boolean, statement: string, ...values: unknown[]): void => {
    const last = told.get(accountId)
    if (last?.reachable === reachable && now() - last.at < CONFIRM_EVERY_MS) return
    told.set(accountId, { reachable, at: now() })
    write(accountId, async () => (await pool.query(statement, [accountId, ...values])).rowCount === 1)
  }

  const unreached = (accountId: string): void => {
    const streak = longer(streaks.get(accountId), now())
    streaks.set(accountId, streak)
    const lostForMs = streak.last - streak.since
    if (streak.failures < FAILURES || lostForMs <= UNREACHABLE_AFTER_MS) return
    tell(accountId, false, LOSE, lostForMs / 1000)
  }

  /** What the account itself said just now; what was not asked because of an earlier pause says nothing new. */
  const paused = (accountId: string, { where, detail }: ProviderError): void => {
    const { retryAfterMs = 0, attempts } = detail
    if (attempts === 0 || retryAfterMs < WORTH_TELLING_MS) return
    const values = [accountId, retryAfterMs / 1000]
    const written: Promise<void> = pool
      .query<{ userId: string }>(isWrite(where.operation) ? PAUSE_WRITES : PAUSE_ALL, values)
      .then(({ rows }) => {
        for (const { userId } of rows) events?.publish('accountsChanged', userId, { accountIds: [accountId] })
      })
      .catch(onError)
      .finally(() => writing.delete(written))
    writing.add(written)
  }

  const worked = (accountId: string): void => {
    streaks.delete(accountId)
    tell(accountId, true, FIND_AGAIN)
  }

  return {
    worked,
    failed(accountId, error) {
      const { code, detail } = error
      if (code === 'RateLimited') paused(accountId, error)
      if (code === 'ReconnectNeeded')
        write(accountId, () => markExpiredUnlessFresh(pool, accountId, detail.message), true)
      else if (code === 'Transient') unreached(accountId)
      else if (ANSWERS.has(code)) worked(accountId)
    },
    async settled() {
      while (writing.size > 0) await Promise.all(writing)
    },
  }
}

function longer(streak: Streak | undefined, now: number): Streak {
  if (!streak || now - streak.last > FORGET_AFTER_MS) return { since: now, last: now, failures: 1 }
  return { since: streak.since, last: now, failures: streak.failures + 1 }
}
