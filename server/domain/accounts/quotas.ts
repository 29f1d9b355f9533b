import type pg from 'pg'
import type { Account as AccountRow } from '../../db/generated/prisma/client.ts'
import { createLeaderLock, type LockSession } from '../../db/locks.ts'
import { transaction } from '../../db/pool.ts'
import { createSemaphore } from '../../lib/concurrency.ts'
import { ProviderError } from '../../providers/errors.ts'
import type { PoolUse } from '../../providers/providers.ts'
import type { Events } from '../events.ts'
import { type Enqueue, enqueueReconcile } from '../jobs.ts'
import type { QuotaReading } from './contract.ts'
import type { OpenDriver } from './credentials.ts'
import { callFor } from './grants.ts'
import type { AccountHealth } from './health.ts'
import { EFFECTIVE_BYTES, EFFECTIVE_STATE, KEPT_CAPACITY, type QuotaColumns, quotaColumns, quotaOf } from './rows.ts'

/** A member of a group cloud, for capacity calculations. */
export type CapacityMember = {
  readonly accountId: string
  readonly keepFreeBytes: bigint | number
  readonly draining: boolean
  readonly allowOnlyCopy: boolean
  readonly account: QuotaColumns & {
    readonly poolUse: PoolUse
    readonly status: 'CONNECTED' | 'EXPIRED'
    readonly unreachableSince: Date | null
  }
}

export type CapacityPool = { readonly copies: number; readonly members: readonly CapacityMember[] }

/**
 * Bytes of new files that fit in a group cloud with all their copies, each on a different account: 2 copies on accounts with 8.8
 * and 10.5 GB free allow 8.8 GB of files. With fewer accounts than copies, one copy per account. One copy of each file is on accounts
 * that may hold the only one. Null: no limit is known.
 */
export function roomOf({ copies, members }: CapacityPool): number | null {
  const usable = members.filter(takesFiles)
  const mains = roomsFor(1, usable.filter(takesOnlyCopies))
  const room = Math.min(mains, roomsFor(copies, copies === 1 ? usable.filter(takesOnlyCopies) : usable))
  return Number.isFinite(room) ? room : null
}

function roomsFor(copies: number, members: readonly CapacityMember[]): number {
  const rooms = members.map(freeOf).toSorted((a, b) => b - a)
  const each = Math.min(copies, rooms.length)
  if (each === 0) return 0
  // However large the largest accounts are, the other copies have to fit on the remaining ones.
  const limits = Array.from({ length: each }, (_, largest) => sum(rooms.slice(largest)) / (each - largest))
  return Math.floor(Math.min(...limits))
}

function takesOnlyCopies({ allowOnlyCopy, account }: CapacityMember): boolean {
  return allowOnlyCopy || account.poolUse !== 'EXTRA_COPIES'
}

/**
 * Sum of `roomOf` over all group clouds of a user. An account that is in several counts once: in the one with the fewest copies,
 * where it holds the most files.
 */
export function totalRoom(pools: readonly CapacityPool[]): number | null {
  const counted = new Set<string>()
  let total = 0
  for (const { copies, members } of pools.toSorted((a, b) => a.copies - b.copies)) {
    const own = members.filter(({ accountId }) => !counted.has(accountId))
    for (const { accountId } of own) counted.add(accountId)
    const room = roomOf({ copies, members: own })
    if (room === null) return null
    total += room
  }
  return total
}

function takesFiles({ draining, account }: CapacityMember): boolean {
  return !draining && account.status === 'CONNECTED' && account.unreachableSince === null
}

function freeOf({ account, keepFreeBytes }: CapacityMember): number {
  const { state, totalBytes, usedBytes, reservedBytes } = quotaOf(account)
  if (state !== 'KNOWN' || totalBytes === null) return Number.POSITIVE_INFINITY
  return Math.max(0, totalBytes - usedBytes - reservedBytes - Number(keepFreeBytes))
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

/** For requests that a user waits for; the probe has its own timeout. */
const TIMEOUT_MS = 10_000

/** The caller that gets the row asks the provider; others use the stored quota. */
const CLAIM = `update accounts set quota_checked_at = now()
  where id = $1 and (quota_checked_at is null or quota_checked_at < now() - interval '1 minute')
  returning quota_checked_at as at`

/**
 * Only if `used_bytes` is unchanged since the provider was asked: its response does not include what was stored since. An object
 * that is being sent may already be in the provider's figure and is still reserved; so up to the size of such objects, a higher
 * figure changes nothing.
 */
const STORE = `with sending as (
    select coalesce(sum(p.size), 0)::bigint as bytes from pieces p join transfers t on t.copy_id = p.copy_id
    where p.account_id = $1 and p.state = 'PLANNED' and t.state = 'RUNNING'
  ), seen as (
    select a.id, greatest(coalesce($4::bigint, a.used_bytes) - s.bytes, least(coalesce($4, a.used_bytes), a.used_bytes)) as used
    from accounts a cross join sending s where a.id = $1
  )
  update accounts a set quota_state = ${EFFECTIVE_STATE('$2')}, quota_bytes = ${EFFECTIVE_BYTES('$2', '$3')},
    capacity_bytes = ${KEPT_CAPACITY('$2')}, used_bytes = seen.used, trash_bytes = $6,
    quota_checked_at = now()
  from seen where a.id = seen.id and a.used_bytes = $5 and a.disconnected_at is null
    and (a.quota_state, a.quota_bytes, a.used_bytes, a.trash_bytes)
      is distinct from (${EFFECTIVE_STATE('$2')}, ${EFFECTIVE_BYTES('$2', '$3')}, seen.used, $6::bigint)
  returning a.user_id, a.used_bytes::float8 as used, a.quota_state as "quotaState", a.quota_bytes::float8 as "quotaBytes"`

const READ = `select quota_state as "quotaState", quota_bytes::float8 as "quotaBytes", used_bytes::float8 as "usedBytes",
    reserved_bytes::float8 as "reservedBytes" from accounts where id = $1`

export type QuotasDeps = {
  readonly pool: pg.Pool
  readonly openDriver: OpenDriver
  readonly health: Pick<AccountHealth, 'failed' | 'worked'>
  readonly events: Pick<Events, 'publish'>
  readonly enqueue: Enqueue
}

export type Quotas = {
  /** Asks the provider and stores its quota. @throws ProviderError */
  refresh(accountId: string, timeoutMs: number): Promise<void>
  /** Asks the provider at most once a minute per account, not concurrently; errors are returned as messages. */
  read(account: AccountRow): Promise<QuotaReading>
}

export function createQuotas(deps: QuotasDeps): Quotas {
  const { pool } = deps
  const running = new Map<string, Promise<string | null>>()
  /** Error of the request at `at`, returned to callers until its minute is over. */
  const failures = new Map<string, { readonly at: number; readonly error: string }>()

  async function refresh(accountId: string, timeoutMs: number): Promise<void> {
    const before = await readKnown(pool, accountId)
    const quota = await fetchQuota(deps, accountId, timeoutMs)
    const { state, totalBytes, usedBytes: used, trashBytes } = quotaColumns(quota)
    const values = [accountId, state, totalBytes, used, before.usedBytes, trashBytes]
    const userId = await transaction(pool, async (tx) => {
      const { rows } = await tx.query<
        { user_id: string; used: number } & Pick<QuotaColumns, 'quotaState' | 'quotaBytes'>
      >(STORE, values)
      const [stored] = rows
      // Transfers that wait for space continue immediately.
      if (stored && hasGrown(before, { ...stored, usedBytes: stored.used })) {
        await enqueueReconcile(tx, deps.enqueue, { userId: stored.user_id, room: true })
      }
      return stored?.user_id
    })
    if (userId) deps.events.publish('accountsChanged', userId, { accountIds: [accountId] })
  }

  /** @returns the error message; null: success */
  async function refreshAtMostOncePerMinute({
    id,
    name,
    provider,
    status,
    statusReason,
    quotaCheckedAt,
  }: AccountRow): Promise<string | null> {
    if (provider === 'local') return null
    if (status === 'EXPIRED') return statusReason ?? `“${name}” needs to be connected again.`
    const { rows } = await pool.query<{ at: Date }>(CLAIM, [id])
    const [claim] = rows
    if (!claim) {
      const failure = failures.get(id)
      return failure && failure.at === quotaCheckedAt?.getTime() ? failure.error : null
    }
    failures.delete(id)
    try {
      await refresh(id, TIMEOUT_MS)
      return null
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      failures.set(id, { at: claim.at.getTime(), error: messageOf(error, name) })
      return messageOf(error, name)
    }
  }

  return {
    refresh,
    async read(account) {
      const { id } = account
      const refreshing = running.get(id) ?? refreshAtMostOncePerMinute(account).finally(() => running.delete(id))
      running.set(id, refreshing)
      const error = await refreshing
      const known = await readKnown(pool, id)
      return { accountId: id, quota: quotaOf(known), error: error ?? unreachable(account) }
    },
  }
}

type Room = Pick<QuotaColumns, 'quotaState' | 'quotaBytes' | 'usedBytes'>

function hasGrown(before: Room, after: Room): boolean {
  if (before.quotaState !== after.quotaState) return true
  return Number(after.quotaBytes) - Number(after.usedBytes) > Number(before.quotaBytes) - Number(before.usedBytes)
}

async function readKnown(pool: pg.Pool, accountId: string): Promise<QuotaColumns> {
  const { rows } = await pool.query<QuotaColumns>(READ, [accountId])
  return rows[0] ?? { quotaState: 'UNKNOWN', quotaBytes: null, usedBytes: 0, reservedBytes: 0 }
}

/** Reports the result to the account's health; a timeout counts as unreachable. @throws ProviderError */
async function fetchQuota({ openDriver, health }: QuotasDeps, accountId: string, timeoutMs: number) {
  try {
    const driver = await openDriver(accountId)
    const call = callFor(timeoutMs)
    const quota = await driver.quota(call).catch((error: unknown) => {
      throw call.signal.aborted ? timedOut(driver.kind, error) : error
    })
    health.worked(accountId)
    return quota
  } catch (error) {
    if (error instanceof ProviderError) health.failed(accountId, error)
    throw error
  }
}

function timedOut(provider: string, cause: unknown): ProviderError {
  const message = 'The provider did not answer in time.'
  return new ProviderError('Transient', { provider, operation: 'quota' }, { message, cause })
}

function unreachable({ name, unreachableSince }: AccountRow): string | null {
  return unreachableSince === null ? null : `“${name}” cannot be reached. This is the last known state.`
}

function messageOf({ code }: ProviderError, name: string): string {
  if (code === 'ReconnectNeeded') return `“${name}” needs to be connected again.`
  if (code === 'Misconfigured')
    return `This server is not set up for the provider of “${name}”. Please tell its administrator.`
  return `“${name}” could not be checked. This is the last known state.`
}

/** Short enough to detect an unreachable account (three failures over 20 seconds) within a minute. */
const TICK_MS = 10_000
const PROBE_TIMEOUT_MS = 6_000
/** Ticks between two requests to an account that responds. */
const REST_TICKS = 2
/** To one that holds nothing and is in no group cloud; and where reading its feed of changes has just shown that it responds. */
const IDLE_REST_TICKS = { unheard: 6, heard: 60 } as const
/** Seconds since the feed was read. */
const HEARD_FOR = 60
const AT_ONCE = 16
/** "prob": identifies the lock in pg_locks. */
const LOCK_KEY = 0x70726f62

const CONNECTED = `select a.id, exists (select from pieces p where p.account_id = a.id)
      or exists (select from group_cloud_members m where m.account_id = a.id) as in_use,
    f.read_at is not null and f.read_at > now() - interval '${HEARD_FOR} seconds' as heard,
    extract(epoch from now() - a.quota_checked_at)::float8 as checked_for
  from accounts a left join account_feeds f on f.account_id = a.id where a.provider <> 'local' and a.status = 'CONNECTED' and a.disconnected_at is null`

/** `checked_for`: seconds since its quota was known; null if it never was. */
type Connected = {
  readonly id: string
  readonly in_use: boolean
  readonly heard: boolean
  readonly checked_for: number | null
}

/** Ticks since the quota of an account was known, for one that has not answered this process yet, or not the last time. */
function ticksBefore({ in_use, heard, checked_for }: Connected): number {
  return in_use || !heard || checked_for === null ? Number.POSITIVE_INFINITY : (1000 * checked_for) / TICK_MS
}

function restTicks({ in_use, heard }: Connected): number {
  return in_use ? REST_TICKS : IDLE_REST_TICKS[heard ? 'heard' : 'unheard']
}

export type ProbeDeps = {
  readonly pool: pg.Pool
  /** Of the connection that holds the lock of the process that probes. */
  readonly leases: pg.Pool | LockSession
  readonly quotas: Pick<Quotas, 'refresh'>
  readonly onError: (error: unknown) => void
}

export type Probe = {
  /** One round; does nothing while another process probes. Never throws. */
  tick(): Promise<void>
  /** Runs rounds periodically until `close`. */
  start(): void
  close(): Promise<void>
}

/** Checks every account periodically, so that an unreachable one is detected before it is needed. */
export function createProbe({ pool, leases, quotas, onError }: ProbeDeps): Probe {
  const lock = createLeaderLock(leases, LOCK_KEY)
  const limited = createSemaphore(AT_ONCE)
  /** Ticks since the last response, by account id; without accounts that did not respond. */
  let rested = new Map<string, number>()
  let running: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null

  async function check(id: string): Promise<void> {
    try {
      await quotas.refresh(id, PROBE_TIMEOUT_MS)
      rested.set(id, 0)
    } catch (error) {
      rested.delete(id)
      if (!(error instanceof ProviderError)) onError(error)
    }
  }

  async function round(): Promise<void> {
    if (!(await lock.acquire())) return
    const { rows } = await pool.query<Connected>(CONNECTED)
    rested = new Map(
      rows.flatMap(({ id }) => {
        const ticks = rested.get(id)
        return ticks === undefined ? [] : [[id, ticks + 1]]
      }),
    )
    const due = rows.filter((row) => (rested.get(row.id) ?? ticksBefore(row)) >= restTicks(row))
    await Promise.all(due.map(({ id }) => limited(() => check(id))))
  }

  const tick = (): Promise<void> => {
    running ??= round()
      .catch(onError)
      .finally(() => {
        running = null
      })
    return running
  }

  return {
    tick,
    start() {
      timer ??= setInterval(tick, TICK_MS).unref()
    },
    async close() {
      if (timer) clearInterval(timer)
      await running
      await lock.release()
    },
  }
}
