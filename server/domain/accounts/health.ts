import type pg from 'pg'
import type { ClientBase, Pool } from 'pg'
import { retrying, transaction } from '../../db/transaction.ts'
import { isWrite } from '../../providers/driver.ts'
import type { ProviderError, ProviderErrorCode } from '../../providers/errors.ts'
import type { ActivityLog } from '../activity/contract.ts'
import type { Events } from '../events.ts'
import { wakeRemovalsOf } from '../files/content/removals.ts'
import { refreshStates, tellStates } from '../files/content/states.ts'
import { type Enqueue, enqueueSettle } from '../jobs.ts'

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

/** Expires the account only while it still has the refused credentials: a reconnect may have replaced them. */
const EXPIRE = `update accounts set status = 'EXPIRED', status_reason = $2, unreachable_since = null, updated_at = now()
  where id = $1 and status = 'CONNECTED' and disconnected_at is null and provider <> 'local'
    and ($3::int is null or exists (select from account_credentials where account_id = $1 and version = $3))
  returning id`

/**
 * The provider refuses the account's credentials: until it is connected again, nothing works there.
 * @returns false when it was expired before, or has newer credentials than `version`
 */
export async function markExpired(
  sql: Pool | ClientBase,
  accountId: string,
  reason: string,
  version: number | null = null,
): Promise<boolean> {
  const { rowCount } = await sql.query(EXPIRE, [accountId, expiredBecause(reason), version])
  return rowCount === 1
}

/** What a call that began before a reconnect may say of the credentials of then. */
const FRESH = `select from account_credentials where account_id = $1 and updated_at > now() - interval '30 seconds'`

/** As markExpired, for hearsay: of credentials that are only just there it counts nothing; if it is true, it will be said again. */
async function markExpiredUnlessFresh(pool: Pool, accountId: string, reason: string): Promise<boolean> {
  const { rowCount } = await pool.query(FRESH, [accountId])
  return rowCount === 0 && markExpired(pool, accountId, reason)
}

/** For people; `reason` is what the provider said. */
function expiredBecause(reason: string): string {
  return `The provider no longer accepts this connection (${reason.replace(/\.$/, '')}). Please re-connect the account.`
}

type Found = { readonly user_id: string; readonly name: string }

export type AfterChangeDeps = {
  readonly pool: pg.Pool
  readonly enqueue: Enqueue
  readonly events: Events
  readonly activity?: Pick<ActivityLog, 'record'>
}
/** `expired`: this is what has changed, just now. */
export type AfterChange = (accountId: string, change?: { readonly expired: boolean }) => Promise<void>

/**
 * What follows when an account is lost, back, connected or gone: the states of what it holds, the repairs, and the news. May run
 * any number of times.
 */
export function createAfterChange({ pool, enqueue, events, activity }: AfterChangeDeps): AfterChange {
  return async (accountId, { expired } = { expired: false }) => {
    const found = await pool.query<Found>('select user_id, name from accounts where id = $1', [accountId])
    const [account] = found.rows
    if (!account) return
    const { user_id: userId, name } = account
    const subject = { type: 'Account', id: accountId, name } as const
    if (expired) activity?.record({ kind: 'SYSTEM', userId }, { action: 'ACCOUNT_EXPIRED', subject })
    const changes = await retrying(() =>
      transaction(pool, async (client) => {
        const changed = await refreshStates(client, { accountId })
        await enqueueSettle(client, enqueue, { userId, accountId })
        await wakeRemovalsOf(client, enqueue, accountId)
        // Read the account's changes soon: there may be some from the time without a connection.
        await client.query('update account_feeds set next_at = now() where account_id = $1', [accountId])
        return changed
      }),
    )
    events.publish('accountsChanged', userId, { accountIds: [accountId] })
    tellStates(events, changes)
  }
}
