import type { Pool } from 'pg'
import { createLeases, type Lease, type LockSession } from '../../db/locks.ts'
import { withCause } from '../../lib/cause.ts'
import { createSemaphore } from '../../lib/concurrency.ts'
import { newId } from '../../lib/ids.ts'
import type { Call, Change, Driver, EntryRef } from '../../providers/driver.ts'
import { ProviderError } from '../../providers/errors.ts'
import { type AccountHealth, READ_FEED_NOW } from '../accounts/health.ts'
import { OBJECTS, recordSeen, type SeenObject, type StoredObject } from '../files/content/seenObjects.ts'
import type { ChangeDeps } from '../files/tree/change.ts'
import { createIndexer } from '../inPlace/indexer.ts'
import { type Check, createCheck, judgeChanges, judgeEntry, statObject } from './check.ts'

/** Interval between queries for due accounts, unless they are polled more often: for accounts that other servers have read before. */
const TICK_MS = 5_000
const MIN_TICK_MS = 200
/** Accounts that this server has read are due again to this precision (ms), so that many of them share a query. */
const PRECISION_MS = 250
/** Polling interval of an account: one call each if nothing has changed. */
const POLL_EVERY_MS = 30_000
/** Accounts without stored objects are polled less often. */
const POLL_EMPTY_FACTOR = 20
/** The longest wait, whatever a service asks for: then it is asked whether it still wants that. */
const MOST_WAIT_S = (POLL_EVERY_MS * POLL_EMPTY_FACTOR) / 1000
/** Accounts that this process polls concurrently. */
const CONCURRENCY = 8
const BATCH_SIZE = 200
const CALL_TIMEOUT_MS = 60_000
/** Pages of changes that are judged together, because a move consists of two changes. */
const MAX_PAGES = 20
/** Steps of a check between two polls. */
const CHECK_STEPS = 10
/** Steps of listing an account between two polls. */
const INDEX_STEPS = 50
const PROGRESS_AFTER_STEPS = new Set([1, 2, 4, 8, 16, 32])
/** Every object is checked about once a week even without a change in the feed; where there is no feed, more often. */
const CHECK_AFTER_S = 6 * 86_400
const CHECK_WITHOUT_FEED_AFTER_S = 6 * 3_600

export type AccountFeedDeps = ChangeDeps & {
  /** Of the connection that holds the locks. */
  readonly leases: Pool | LockSession
  /** Called by `wake` before `start`: other servers read what is due. */
  readonly wakeOthers?: (() => void) | undefined
  readonly openDriver: (accountId: string) => Promise<Driver>
  readonly report: Pick<AccountHealth, 'failed' | 'worked'>
  readonly onError: (error: unknown) => void
  /** Polling interval of an account (ms). 0: an account is due again at once, which is for callers of `tick`. */
  readonly everyMs?: number
}

export type AccountFeed = {
  /**
   * Reads the feeds that are due, all of them from now on, and resolves afterwards with the accounts of which everything that the
   * provider reports is recorded: an account can fail, or be read by another server at this moment. Never rejects.
   */
  tick(): Promise<ReadonlySet<string>>
  /** Calls `tick` regularly until `close`. */
  start(): void
  /** Calls `tick` soon: an account has become due. Before `start`, other servers do it. */
  wake(): void
  close(): Promise<void>
}

type Due = {
  readonly id: string
  readonly rootFolderRef: string | null
  readonly cursor: string | null
  readonly inUse: boolean
  /** Everything that it holds is indexed. */
  readonly indexed: boolean
  /** How many changes were made here to what is indexed. */
  readonly ownChanges: number
  /** The trees in addition to the account's own one that are indexed too. */
  readonly roots: readonly EntryRef[]
  /** Those of `roots` that are not in the index now, unless a listing that will contain them is in progress. */
  readonly hiddenRoots: readonly EntryRef[]
  /** Seconds since the last complete check; null: a check is due. */
  readonly checkedFor: number | null
  /** When it is to be read, as it is stored; null: there is nothing stored yet. */
  readonly dueAt: string | null
}

/** Later than any time that is stored means that the clock was set back: the account is due. */
const DUE = `select a.id, a.home_ref as "rootFolderRef", f.cursor, exists (select from pieces p where p.account_id = a.id) as "inUse",
    exists (select from account_indexes i where i.account_id = a.id) as indexed,
    coalesce((select i.own_changes from account_indexes i where i.account_id = a.id), 0)::float8 as "ownChanges",
    coalesce((select i.roots from account_indexes i where i.account_id = a.id), '{}') as roots,
    array(select r.ref from account_indexes i, unnest(i.roots) as r (ref)
      where i.account_id = a.id and i.pass_started_at is null and not exists (select from account_entries e
        where e.account_id = i.account_id and e.ref = r.ref and e.gone_at is null)) as "hiddenRoots",
    extract(epoch from now() - f.checked_at)::float8 as "checkedFor", f.next_at::text as "dueAt"
  from accounts a left join account_feeds f on f.account_id = a.id
  where a.provider <> 'local' and a.status = 'CONNECTED' and a.disconnected_at is null and a.unreachable_since is null
    and (coalesce(f.next_at, '-infinity') <= now() or f.next_at > now() + interval '11 minutes')`

/**
 * A request to read the feed at once that came while it was being read is kept. It is known by another time than the one that was read: the
 * times alone do not tell, because a request can be committed later than it began. A request can also get the lock of the row before the
 * statement that saves, although it began later: so it is compared with clock_timestamp(), not with now().
 */
const IS_REQUESTED = `account_feeds.next_at is distinct from $3::timestamptz and account_feeds.next_at <= clock_timestamp()`
const SAVE = `insert into account_feeds (account_id, cursor, next_at, checked_at, read_at)
  select id, $6, date_trunc('milliseconds', now()) + make_interval(secs => $2), case when $4 then now() end, case when $7 then now() end
  from accounts where id = $1
  on conflict (account_id) do update set cursor = excluded.cursor, read_at = excluded.read_at,
    next_at = case when ${IS_REQUESTED} then account_feeds.next_at else excluded.next_at end,
    checked_at = case when $5 then excluded.checked_at else account_feeds.checked_at end`

/** The account is then asked by the probe (accounts/quotas.ts), more often. */
const POSTPONE = `insert into account_feeds (account_id, next_at) select id, now() + make_interval(secs => $2) from accounts where id = $1
  on conflict (account_id) do update set read_at = null,
    next_at = case when ${IS_REQUESTED} then account_feeds.next_at else excluded.next_at end`

/**
 * Keeps the records of stored objects up to date: reads the feed of changes of every connected account, and checks all its objects
 * where there is no feed, after an interruption of the feed, and once a week. One process at a time reads an account.
 */
export function createAccountFeed(deps: AccountFeedDeps): AccountFeed {
  const { pool, report, onError, everyMs = POLL_EVERY_MS } = deps
  const indexer = createIndexer(deps)
  const leases = createLeases(deps.leases, 'feed')
  const inTurn = createSemaphore(CONCURRENCY)
  const closing = new AbortController()
  /** Whether the read that is in progress has recorded everything. */
  const running = new Map<string, Promise<boolean>>()
  /** Accounts that were being read when `wake` was called. */
  const missed = new Set<string>()
  const checks = new Map<string, Check>()
  /** When accounts are due again, in units of PRECISION_MS. */
  const wakings = new Map<number, NodeJS.Timeout>()
  let timer: NodeJS.Timeout | null = null
  let isWoken = false

  function callOf(): Call {
    return { signal: AbortSignal.any([closing.signal, AbortSignal.timeout(CALL_TIMEOUT_MS)]), requestId: newId() }
  }

  async function tick(): Promise<ReadonlySet<string>> {
    const { rows } = await pool.query<Due>(`${DUE} order by f.next_at nulls first, a.id limit ${BATCH_SIZE}`)
    const read = await Promise.all(rows.map(async ({ id }) => ((await readFromNow(id)) ? id : [])))
    return new Set(read.flat())
  }

  /** A read that is in progress may have asked the provider before the caller's own change: another one follows it. */
  async function readFromNow(id: string): Promise<boolean> {
    await running.get(id)
    return running.get(id) ?? start(id)
  }

  function start(id: string): Promise<boolean> {
    const reading = inTurn(() => readLocked(id))
      .catch((error: unknown) => {
        if (!closing.signal.aborted) onError(error)
        return false
      })
      .finally(() => {
        running.delete(id)
        if (missed.delete(id)) wake()
      })
    running.set(id, reading)
    return reading
  }

  function wake(): void {
    if (timer === null) deps.wakeOthers?.()
    if (timer === null || isWoken || closing.signal.aborted) return
    isWoken = true
    // An account that is being read now can have become due again after its state was read.
    for (const id of running.keys()) missed.add(id)
    withCause(null, () =>
      setImmediate(() => {
        isWoken = false
        void tick().catch(onError)
      }),
    )
  }

  /** Calls `tick` when an account is due again, without waiting for the next regular one. */
  function tickAfter(seconds: number): void {
    if (timer === null || everyMs === 0 || closing.signal.aborted) return
    const at = Math.ceil((performance.now() + 1000 * seconds) / PRECISION_MS)
    if (wakings.has(at)) return
    const waking = setTimeout(
      () => {
        wakings.delete(at)
        void tick().catch(onError)
      },
      at * PRECISION_MS - performance.now(),
    )
    wakings.set(at, waking.unref())
  }

  async function readLocked(id: string): Promise<boolean> {
    if (closing.signal.aborted) return false
    const lease = await leases.take(id)
    if (!lease) return false
    try {
      // Another process may have read the account since the query for due accounts.
      const { rows } = await pool.query<Due>(`${DUE} and a.id = $1`, [id])
      const [account] = rows
      return account !== undefined && (await read(account, lease))
    } finally {
      await lease.release()
    }
  }

  /** @returns whether everything that the provider reports is recorded */
  async function read(account: Due, lease: Lease): Promise<boolean> {
    const startedAt = performance.now()
    try {
      const driver = await deps.openDriver(account.id)
      const progress = driver.changes ? await readChanges(account, driver, lease) : NO_FEED
      const checkAfter = driver.changes ? CHECK_AFTER_S : CHECK_WITHOUT_FEED_AFTER_S
      const isDue = progress.interrupted || account.checkedFor === null || account.checkedFor > checkAfter
      if (progress.interrupted || (isDue && !checks.has(account.id))) checks.set(account.id, createCheck(deps, account))
      const seconds = (everyMs * (account.inUse || account.indexed ? 1 : POLL_EMPTY_FACTOR)) / 1000
      // The cursor is saved before the check, so that changes are not read again if the check is interrupted.
      const after = progress.hasMore ? 0 : restOf(seconds, startedAt)
      // The listing is requested before the cursor is saved: a new cursor does not tell what was missed.
      if (account.indexed && progress.interrupted) await indexer.onInterrupted(account.id)
      const saved = [account.id, after, account.dueAt, false, progress.interrupted, progress.cursor]
      await pool.query(SAVE, [...saved, driver.changes !== undefined])
      tickAfter(after)
      report.worked(account.id)
      if (account.indexed) await readIndex(account, driver)
      if (await check(account, driver)) {
        await pool.query('update account_feeds set checked_at = now() where account_id = $1', [account.id])
      }
      return !progress.hasMore && !checks.has(account.id)
    } catch (error) {
      if (closing.signal.aborted || error instanceof LeaseLostError) return false
      await postpone(account, error)
      if (!(error instanceof ProviderError)) throw error
      report.failed(account.id, error)
      return false
    }
  }

  /** Continues listing an account for its index. The rest follows with the next poll, which is due at once. */
  async function readIndex({ id }: Due, driver: Driver): Promise<void> {
    for (let steps = 0; steps < INDEX_STEPS; steps += 1) {
      closing.signal.throwIfAborted()
      if (!(await indexer.step(id, driver, callOf))) return
      // Often at first: people wait for the first entries, and a page can take seconds.
      if (PROGRESS_AFTER_STEPS.has(steps + 1)) await indexer.publishProgress(id)
    }
    await indexer.publishProgress(id)
    await pool.query(READ_FEED_NOW, [id])
    wake()
  }

  async function postpone({ id, dueAt }: Due, error: unknown): Promise<void> {
    const wait = error instanceof ProviderError ? (error.detail.retryAfterMs ?? 0) : 0
    await pool.query(POSTPONE, [id, Math.min(Math.max(wait, everyMs) / 1000, MOST_WAIT_S), dueAt])
  }

  /** Reads up to MAX_PAGES pages. @throws ProviderError */
  async function readChanges(account: Due, driver: Driver, lease: Lease): Promise<FeedProgress> {
    const { cursor } = account
    if (cursor === null) return startFeed(account, driver)
    try {
      return await readFrom(account, driver, cursor, lease)
    } catch (error) {
      if (!(error instanceof ProviderError) || error.code !== 'CursorReset') throw error
      return startFeed(account, driver)
    }
  }

  /** Starts the feed now. Earlier changes are unknown, so a check of all objects follows. */
  async function startFeed({ roots }: Due, driver: Driver): Promise<FeedProgress> {
    const page = await driver.changes?.(callOf(), null, roots)
    return { cursor: page?.cursor ?? null, interrupted: true, hasMore: false }
  }

  async function readFrom(account: Due, driver: Driver, from: string, lease: Lease): Promise<FeedProgress> {
    const { roots, hiddenRoots } = account
    const isHidden = (ref: EntryRef | null) => hiddenRoots.some((root) => root === ref)
    const changes: Change[] = []
    let cursor = from
    let hasMore = true
    // An extra root can be hidden without its feed: a listing did not find it for a moment, or a user hid and showed it again. Its feed
    // would say nothing when it is there, so it is left out of the first page: then it is reported as a new one.
    let asked = roots.filter((ref) => !isHidden(ref))
    for (let pages = 0; hasMore && pages < MAX_PAGES; pages += 1) {
      const page = await driver.changes?.(callOf(), cursor, asked)
      if (!page) break
      // That a hidden one is gone is no news: the account would be listed again at each poll.
      changes.push(...page.changes.filter(({ ref, entry }) => entry !== null || !isHidden(ref)))
      cursor = page.cursor
      hasMore = page.hasMore || asked.length < roots.length
      asked = [...roots]
    }
    // After being suspended, a server would overwrite later states with changes that another server has already applied.
    if (changes.length > 0 && !(await lease.held())) throw new LeaseLostError()
    if (account.indexed) await indexer.applyChanges(account.id, driver, changes, callOf, account.ownChanges)
    return { cursor, hasMore, interrupted: await applyChanges(account, driver, changes) }
  }

  /** Records what the changes say about stored objects. @returns whether other objects may have changed too */
  async function applyChanges({ id }: Due, driver: Driver, changes: readonly Change[]): Promise<boolean> {
    if (changes.length === 0) return false
    const objects = await objectsOf(pool, id, changes)
    const { seen, replacements, folderGone, folderThere } = judgeChanges(objects, changes, driver.capabilities.hash)
    const replaced: SeenObject[] = []
    for (const { object, entry } of replacements) {
      const own = await statObject(driver, callOf(), object)
      replaced.push(own.verdict === 'GONE' ? judgeEntry(object, entry, driver.capabilities.hash) : own)
    }
    await recordSeen(deps, [...seen, ...replaced])
    return folderGone || (folderThere && (await isMissingAny(pool, id)))
  }

  /** Continues the check of an account. @returns whether it is complete */
  async function check({ id, inUse }: Due, driver: Driver): Promise<boolean> {
    const current = checks.get(id)
    if (!current) return false
    for (let steps = 0; steps < CHECK_STEPS; steps += 1) {
      if (!inUse || (await current.step(driver, callOf()))) {
        checks.delete(id)
        return true
      }
    }
    // The rest follows with the next poll, which is due at once.
    await pool.query(READ_FEED_NOW, [id])
    wake()
    return false
  }

  return {
    tick: () =>
      tick().catch((error: unknown) => {
        onError(error)
        return new Set<string>()
      }),
    start() {
      const interval = everyMs > 0 ? Math.max(MIN_TICK_MS, Math.min(TICK_MS, everyMs)) : TICK_MS
      timer ??= setInterval(() => void tick().catch(onError), interval).unref()
    },
    wake,
    async close() {
      if (timer) clearInterval(timer)
      for (const waking of wakings.values()) clearTimeout(waking)
      closing.abort(new Error('The server is shutting down.'))
      await Promise.all(running.values())
      await leases.close()
    },
  }
}

/** The interval counts from the start of a poll. Half of it remains free, however long the provider takes to answer. */
function restOf(seconds: number, startedAt: number): number {
  return Math.max(seconds - (performance.now() - startedAt) / 1000, seconds / 2)
}

/** Another server reads the account now. */
class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
}

/** `interrupted`: there may be changes that the feed did not contain. */
type FeedProgress = { readonly cursor: string | null; readonly interrupted: boolean; readonly hasMore: boolean }
const NO_FEED: FeedProgress = { cursor: null, interrupted: false, hasMore: false }

/** Objects with a ref in the changes, and objects at or below their paths. */
async function objectsOf(pool: Pool, accountId: string, changes: readonly Change[]): Promise<StoredObject[]> {
  const refs = changes.flatMap(({ ref }) => ref ?? [])
  const gone = changes.flatMap((change) => (change.ref === null ? change.path : []))
  const taken = changes.flatMap(({ entry }) => entry?.path ?? [])
  const { rows } = await pool.query<StoredObject>(
    `${OBJECTS} and p.id in (
       select o.id from pieces o where o.account_id = $1 and o.object_ref = any($2::text[])
       union select o.id from unnest($3::text[]) as d (path)
         join pieces o on o.account_id = $1 and o.object_path collate "C" = d.path
       union select o.id from unnest($4::text[]) as d (path)
         join pieces o on o.account_id = $1 and o.object_path collate "C" >= d.path || '/' and o.object_path collate "C" < d.path || '0')`,
    [accountId, refs, [...gone, ...taken], gone],
  )
  return rows
}

async function isMissingAny(pool: Pool, accountId: string): Promise<boolean> {
  const text = 'select from pieces where account_id = $1 and missing_since is not null limit 1'
  return (await pool.query(text, [accountId])).rowCount === 1
}
