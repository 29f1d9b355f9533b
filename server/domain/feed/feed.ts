import type { Pool } from 'pg'
import { createLeases } from '../../db/leases.ts'
import { newId } from '../../lib/ids.ts'
import { createSemaphore } from '../../lib/semaphore.ts'
import type { Call, Change, Driver } from '../../providers/driver.ts'
import { ProviderError } from '../../providers/errors.ts'
import type { AccountHealth } from '../accounts/health.ts'
import { OBJECTS, recordSeen, type SeenObject, type StoredObject } from '../files/content/seenObjects.ts'
import type { ChangeDeps } from '../files/tree/change.ts'
import { ask, type Check, createCheck } from './check.ts'
import { judgeChanges, judgeEntry } from './judge.ts'

/** Accounts that are due are looked for this often. */
const TICK_MS = 5_000
/** An idle account costs one call in this time. */
const POLL_EVERY_MS = 30_000
/** One that holds nothing of ours has nothing that could change. */
const POLL_EMPTY_FACTOR = 20
/** Accounts of this process at once. */
const AT_ONCE = 8
const ASKED = 200
const PATIENCE_MS = 60_000
/** Pages of changes that are judged together: a move is told in two places. */
const MOST_PAGES = 20
/** Steps of a check between two looks at the feed. */
const CHECK_STEPS = 10
/** Every object is looked at once a week, also when the feed says nothing of it; where there is no feed, more often. */
const CHECK_AFTER_S = 6 * 86_400
const CHECK_WITHOUT_FEED_AFTER_S = 6 * 3_600

export type AccountFeedDeps = ChangeDeps & {
  /** Of which one connection is kept, for the locks. */
  readonly leases: Pool
  readonly openDriver: (accountId: string) => Promise<Driver>
  readonly report: Pick<AccountHealth, 'failed' | 'worked'>
  readonly onError: (error: unknown) => void
  /** Polling interval of an account (ms). */
  readonly everyMs?: number
}

export type AccountFeed = {
  /** Reads the feeds that are due, and resolves when that is done. Never rejects. */
  tick(): Promise<void>
  /** By the clock, until `close`. */
  start(): void
  close(): Promise<void>
}

type Due = {
  readonly id: string
  readonly homeRef: string | null
  readonly cursor: string | null
  readonly inUse: boolean
  /** Seconds since the last complete check; null: one is asked for. */
  readonly checkedFor: number | null
}

const DUE = `select a.id, a.home_ref as "homeRef", f.cursor, exists (select from pieces p where p.account_id = a.id) as "inUse",
    extract(epoch from now() - f.checked_at)::float8 as "checkedFor"
  from accounts a left join account_feeds f on f.account_id = a.id
  where a.provider <> 'local' and a.status = 'CONNECTED' and a.disconnected_at is null and a.unreachable_since is null
    and coalesce(f.next_at, '-infinity') <= now()`

const SAVE = `insert into account_feeds (account_id, cursor, next_at, checked_at)
  select id, $2, now() + make_interval(secs => $3), case when $4 then now() end from accounts where id = $1
  on conflict (account_id) do update set cursor = excluded.cursor, next_at = excluded.next_at,
    checked_at = case when $5 then excluded.checked_at else account_feeds.checked_at end`

const PUT_OFF = `insert into account_feeds (account_id, next_at) select id, now() + make_interval(secs => $2) from accounts where id = $1
  on conflict (account_id) do update set next_at = excluded.next_at`

/**
 * Keeps what is known of stored objects true: reads every connected account's feed of changes, and looks at all its objects where
 * there is no feed, where it was interrupted, and once a week. One process at a time reads an account.
 */
export function createAccountFeed(deps: AccountFeedDeps): AccountFeed {
  const { pool, report, onError, everyMs = POLL_EVERY_MS } = deps
  const leases = createLeases(deps.leases, 'feed')
  const inTurn = createSemaphore(AT_ONCE)
  const closing = new AbortController()
  const running = new Map<string, Promise<void>>()
  const checks = new Map<string, Check>()
  let timer: NodeJS.Timeout | null = null

  function callOf(): Call {
    return { signal: AbortSignal.any([closing.signal, AbortSignal.timeout(PATIENCE_MS)]), requestId: newId() }
  }

  async function tick(): Promise<void> {
    const { rows } = await pool.query<Due>(`${DUE} order by f.next_at nulls first, a.id limit ${ASKED}`)
    for (const { id } of rows) if (!running.has(id)) start(id)
    await Promise.all(rows.map(({ id }) => running.get(id)))
  }

  function start(id: string): void {
    const reading = inTurn(() => readLocked(id))
      .catch((error: unknown) => {
        if (!closing.signal.aborted) onError(error)
      })
      .finally(() => running.delete(id))
    running.set(id, reading)
  }

  async function readLocked(id: string): Promise<void> {
    if (closing.signal.aborted) return
    const lease = await leases.take(id)
    if (!lease) return
    try {
      // Another process may have read it since it was found to be due.
      const { rows } = await pool.query<Due>(`${DUE} and a.id = $1`, [id])
      const [account] = rows
      if (account) await read(account)
    } finally {
      await lease.release()
    }
  }

  async function read(account: Due): Promise<void> {
    try {
      const driver = await deps.openDriver(account.id)
      const told = driver.changes ? await readChanges(account, driver) : NO_FEED
      const asked = driver.changes ? CHECK_AFTER_S : CHECK_WITHOUT_FEED_AFTER_S
      const isDue = told.interrupted || account.checkedFor === null || account.checkedFor > asked
      if (told.interrupted || (isDue && !checks.has(account.id))) checks.set(account.id, createCheck(deps, account))
      const seconds = (everyMs * (account.inUse ? 1 : POLL_EMPTY_FACTOR)) / 1000
      // The position first: what was judged is not read again when the check is interrupted.
      await pool.query(SAVE, [account.id, told.cursor, told.hasMore ? 0 : seconds, false, told.interrupted])
      report.worked(account.id)
      if (!(await check(account, driver))) return
      await pool.query('update account_feeds set checked_at = now() where account_id = $1', [account.id])
    } catch (error) {
      if (closing.signal.aborted) return
      await putOff(account, error)
      if (!(error instanceof ProviderError)) throw error
      report.failed(account.id, error)
    }
  }

  async function putOff({ id }: Due, error: unknown): Promise<void> {
    const wait = error instanceof ProviderError ? (error.detail.retryAfterMs ?? 0) : 0
    await pool.query(PUT_OFF, [id, Math.max(wait, everyMs) / 1000])
  }

  /** Reads to the end, as far as that goes at once. @throws ProviderError */
  async function readChanges(account: Due, driver: Driver): Promise<Told> {
    const { cursor } = account
    if (cursor === null) return begin(driver)
    try {
      return await readOn(account, driver, cursor)
    } catch (error) {
      if (!(error instanceof ProviderError) || error.code !== 'CursorReset') throw error
      return begin(driver)
    }
  }

  /** Nobody knows what was before: a check follows, which sees all that the feed will not tell. */
  async function begin(driver: Driver): Promise<Told> {
    const page = await driver.changes?.(callOf(), null)
    return { cursor: page?.cursor ?? null, interrupted: true, hasMore: false }
  }

  async function readOn(account: Due, driver: Driver, from: string): Promise<Told> {
    const changes: Change[] = []
    let cursor = from
    let hasMore = true
    for (let pages = 0; hasMore && pages < MOST_PAGES; pages += 1) {
      const page = await driver.changes?.(callOf(), cursor)
      if (!page) break
      changes.push(...page.changes)
      cursor = page.cursor
      hasMore = page.hasMore
    }
    return { cursor, hasMore, interrupted: await follow(account, driver, changes) }
  }

  /** @returns whether something may have changed that the feed says nothing about */
  async function follow({ id }: Due, driver: Driver, changes: readonly Change[]): Promise<boolean> {
    if (changes.length === 0) return false
    const objects = await objectsOf(pool, id, changes)
    const { seen, replacements, folderGone, folderThere } = judgeChanges(objects, changes, driver.capabilities.hash)
    const replaced: SeenObject[] = []
    for (const { object, entry } of replacements) {
      const own = await ask(driver, callOf(), object)
      replaced.push(own.verdict === 'GONE' ? judgeEntry(object, entry, driver.capabilities.hash) : own)
    }
    await recordSeen(deps, [...seen, ...replaced])
    return folderGone || (folderThere && (await isMissingAny(pool, id)))
  }

  /** @returns whether a complete check has ended */
  async function check({ id, inUse }: Due, driver: Driver): Promise<boolean> {
    const current = checks.get(id)
    if (!current) return false
    for (let steps = 0; steps < CHECK_STEPS; steps += 1) {
      if (!inUse || (await current.step(driver, callOf()))) {
        checks.delete(id)
        return true
      }
    }
    // The rest follows with the next look at the feed, which is due at once.
    await pool.query('update account_feeds set next_at = now() where account_id = $1', [id])
    return false
  }

  return {
    tick: () => tick().catch(onError),
    start() {
      timer ??= setInterval(() => void tick().catch(onError), TICK_MS).unref()
    },
    async close() {
      if (timer) clearInterval(timer)
      closing.abort(new Error('The server is shutting down.'))
      await Promise.all(running.values())
      await leases.close()
    },
  }
}

/** `interrupted`: there may be more news than were told. */
type Told = { readonly cursor: string | null; readonly interrupted: boolean; readonly hasMore: boolean }
const NO_FEED: Told = { cursor: null, interrupted: false, hasMore: false }

/** Those that the changes name, and those that lie at or below the places they name. */
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
