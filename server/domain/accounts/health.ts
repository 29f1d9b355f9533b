import type pg from 'pg'
import type { ClientBase, Pool } from 'pg'
import { retryConflicts, transaction } from '../../db/pool.ts'
import { isWrite } from '../../providers/driver.ts'
import type { ProviderError, ProviderErrorCode } from '../../providers/errors.ts'
import type { ActivityLog } from '../activity/contract.ts'
import type { Events } from '../events.ts'
import { wakeRemovalsOf } from '../files/content/removals.ts'
import { publishStates, refreshStates } from '../files/content/states.ts'
import { type Enqueue, enqueueReconcile } from '../jobs.ts'

const FAILURES = 3
const UNREACHABLE_AFTER_MS = 20_000
/** A streak of failures ends after this time without a failure. */
const FORGET_AFTER_MS = 120_000
/** Unchanged reachability is written at most this often. */
const CONFIRM_EVERY_MS = 5_000

/** Errors that are responses of the account itself: it is reachable. */
const ANSWERS: ReadonlySet<ProviderErrorCode> = new Set<ProviderErrorCode>([
  'RateLimited',
  'QuotaExceeded',
  'TooLarge',
  'NotFound',
  'Conflict',
  'BadName',
  'CursorReset',
])

/**
 * An account's feed of changes is due. Rounded down: the column has milliseconds, and a later time would not be due yet. `$1`: the account.
 */
export const READ_FEED_NOW = `update account_feeds set next_at = date_trunc('milliseconds', now()) where account_id = $1`

/**
 * SQL: the same for the account `id` when it gets an object. Its feed was read rarely while there was nothing to follow. A feed that could
 * not be read last time (`read_at`) waits for as long as the provider asks, and one of an account in use is read within a minute anyway.
 */
export const readFeedOfIdleSql = (
  from: string,
): string => `update account_feeds f set next_at = date_trunc('milliseconds', now())
  from ${from} s where f.account_id = s.account_id and f.read_at is not null and f.next_at > now() + interval '1 minute'`

/** `$2`: for how long (s), `$3`: why, if more is known than that the provider does not respond. */
const MARK_UNREACHABLE = `update accounts
  set unreachable_since = coalesce(unreachable_since, now() - make_interval(secs => $2)),
    status_reason = $3, updated_at = now()
  where id = $1 and (unreachable_since is null or status_reason is distinct from $3)
    and status = 'CONNECTED' and disconnected_at is null and provider <> 'local'
  returning id`

/** Shorter pauses are not shown: they are over before anyone reads about them. */
const SHORTEST_SHOWN_PAUSE_MS = 5_000

const PAUSE = (column: 'paused_until' | 'writes_paused_until') => `update accounts
  set ${column} = greatest(${column}, now() + make_interval(secs => $2)) where id = $1 and disconnected_at is null
  returning user_id as "userId"`
const PAUSE_ALL = PAUSE('paused_until')
const PAUSE_WRITES = PAUSE('writes_paused_until')

const MARK_REACHABLE = `update accounts set unreachable_since = null, status_reason = null, updated_at = now()
  where id = $1 and unreachable_since is not null and status = 'CONNECTED' returning id`

/** Every caller of a provider reports its results here. Returns immediately and never throws. */
export type AccountHealth = {
  failed(accountId: string, error: ProviderError): void
  worked(accountId: string): void
  /** Resolves when all reports are written. */
  whenIdle(): Promise<void>
}

export type AccountHealthDeps = {
  readonly pool: pg.Pool
  /** Called after the commit of each change of state: updates file states, queues repairs, publishes events. */
  readonly afterChange: AfterChange
  readonly onError: (error: unknown) => void
  readonly events?: Pick<Events, 'publish'>
  /** Monotonic clock (ms). */
  readonly now?: () => number
}

type Streak = { readonly since: number; readonly last: number; readonly failures: number }

/**
 * Changes the state of accounts: ReconnectNeeded expires an account immediately; three failures to reach the provider over more
 * than 20 seconds make it unreachable, also if this server may not connect to its host; any response makes it reachable again. Other
 * errors are not the account's. Pauses that a provider asks for are stored for the user.
 */
export function createAccountHealth(deps: AccountHealthDeps): AccountHealth {
  const { pool, afterChange, onError, events, now = () => performance.now() } = deps
  const streaks = new Map<string, Streak>()
  const lastReported = new Map<string, { readonly reachable: boolean; readonly at: number }>()
  const writing = new Set<Promise<void>>()

  const write = (accountId: string, change: () => Promise<boolean>, expired = false): void => {
    const run = async () => {
      if (await change()) await afterChange(accountId, { expired })
    }
    const written: Promise<void> = run()
      .catch(onError)
      .finally(() => writing.delete(written))
    writing.add(written)
  }

  const report = (accountId: string, reachable: boolean, statement: string, ...values: unknown[]): void => {
    const last = lastReported.get(accountId)
    if (last?.reachable === reachable && now() - last.at < CONFIRM_EVERY_MS) return
    lastReported.set(accountId, { reachable, at: now() })
    write(accountId, async () => (await pool.query(statement, [accountId, ...values])).rowCount === 1)
  }

  /** `reason`: for the user; null if the provider did not respond. */
  const unreached = (accountId: string, reason: string | null): void => {
    const streak = extended(streaks.get(accountId), now())
    streaks.set(accountId, streak)
    const lostForMs = streak.last - streak.since
    if (streak.failures < FAILURES || lostForMs <= UNREACHABLE_AFTER_MS) return
    report(accountId, false, MARK_UNREACHABLE, lostForMs / 1000, reason)
  }

  /** For a pause in a response; calls that were not sent because of an earlier pause (`attempts` 0) are ignored. */
  const paused = (accountId: string, { where, detail }: ProviderError): void => {
    const { retryAfterMs = 0, attempts, isOfDownloads } = detail
    // Of downloads alone: the account still stores and lists files.
    if (isOfDownloads || attempts === 0 || retryAfterMs < SHORTEST_SHOWN_PAUSE_MS) return
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
    report(accountId, true, MARK_REACHABLE)
  }

  return {
    worked,
    failed(accountId, error) {
      const { code, detail } = error
      if (code === 'RateLimited') paused(accountId, error)
      if (code === 'ReconnectNeeded')
        write(accountId, () => markExpiredUnlessFresh(pool, accountId, detail.message), true)
      else if (code === 'Transient') unreached(accountId, null)
      // Not immediately: a name server that fails once has the same result.
      else if (detail.isHostRefused) unreached(accountId, detail.message)
      else if (ANSWERS.has(code)) worked(accountId)
    },
    async whenIdle() {
      while (writing.size > 0) await Promise.all(writing)
    },
  }
}

function extended(streak: Streak | undefined, now: number): Streak {
  if (!streak || now - streak.last > FORGET_AFTER_MS) return { since: now, last: now, failures: 1 }
  return { since: streak.since, last: now, failures: streak.failures + 1 }
}

/** Only while the account still has the refused credentials: a reconnect may have replaced them. */
const EXPIRE = `update accounts set status = 'EXPIRED', status_reason = $2, unreachable_since = null, updated_at = now()
  where id = $1 and status = 'CONNECTED' and disconnected_at is null and provider <> 'local'
    and ($3::int is null or exists (select from account_credentials where account_id = $1 and version = $3))
  returning id`

/**
 * Marks an account whose credentials the provider refuses; it has to be reconnected.
 * @returns false when it was expired already, or has newer credentials than `version`
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

/** Credentials that may be newer than those of a running call. */
const FRESH = `select from account_credentials where account_id = $1 and updated_at > now() - interval '30 seconds'`

/** As markExpired, for errors of unknown credentials: ignored shortly after a reconnect, because the next call reports them again. */
async function markExpiredUnlessFresh(pool: Pool, accountId: string, reason: string): Promise<boolean> {
  const { rowCount } = await pool.query(FRESH, [accountId])
  return rowCount === 0 && markExpired(pool, accountId, reason)
}

/** Message for the user; `reason` comes from the provider. */
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
/** `expired`: the account has just expired. */
export type AfterChange = (accountId: string, change?: { readonly expired: boolean }) => Promise<void>

/**
 * Follow-up when an account becomes unreachable, reachable, connected or disconnected: updates file states, queues repairs and
 * publishes events. Idempotent.
 */
export function createAfterChange({ pool, enqueue, events, activity }: AfterChangeDeps): AfterChange {
  return async (accountId, { expired } = { expired: false }) => {
    const found = await pool.query<Found>('select user_id, name from accounts where id = $1', [accountId])
    const [account] = found.rows
    if (!account) return
    const { user_id: userId, name } = account
    const subject = { type: 'Account', id: accountId, name } as const
    if (expired) activity?.record({ kind: 'SYSTEM', userId }, { action: 'ACCOUNT_EXPIRED', subject })
    const changes = await retryConflicts(() =>
      transaction(pool, async (client) => {
        const changed = await refreshStates(client, { accountId })
        await enqueueReconcile(client, enqueue, { userId, accountId })
        await wakeRemovalsOf(client, enqueue, accountId)
        // Read the account's change feed soon: there may be changes from the time without a connection.
        await client.query(READ_FEED_NOW, [accountId])
        return changed
      }),
    )
    events.publish('accountsChanged', userId, { accountIds: [accountId] })
    publishStates(events, changes)
  }
}
