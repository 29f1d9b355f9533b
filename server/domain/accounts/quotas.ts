import type pg from 'pg'
import type { Account as AccountRow } from '../../db/generated/prisma/client.ts'
import { transaction } from '../../db/transaction.ts'
import { ProviderError } from '../../providers/errors.ts'
import type { Events } from '../events.ts'
import { type Enqueue, enqueueSettle } from '../jobs.ts'
import { callFor, quotaColumns } from './connect.ts'
import type { QuotaReading } from './contract.ts'
import type { OpenDriver } from './credentials.ts'
import type { AccountHealth } from './health.ts'
import { type QuotaColumns, quotaOf } from './rows.ts'

/** An account as a group cloud uses it. */
export type CapacityMember = {
  readonly accountId: string
  readonly keepFreeBytes: bigint | number
  readonly draining: boolean
  readonly account: QuotaColumns & {
    readonly status: 'CONNECTED' | 'EXPIRED'
    readonly unreachableSince: Date | null
  }
}

export type CapacityPool = { readonly copies: number; readonly members: readonly CapacityMember[] }

/**
 * Bytes of new files that have room in a group cloud, every file with as many copies as it keeps, no two on one account:
 * 2 copies on 8.8 and 10.5 GB free are 8.8 GB of files. With fewer accounts than copies, as many copies as there are
 * accounts. Null: no limit is known.
 */
export function roomOf({ copies, members }: CapacityPool): number | null {
  const rooms = members
    .filter(takesFiles)
    .map(freeOf)
    .toSorted((a, b) => b - a)
  const each = Math.min(copies, rooms.length)
  if (each === 0) return 0
  // However much the largest accounts could take, the other copies have to fit on the rest.
  const limits = Array.from({ length: each }, (_, largest) => sum(rooms.slice(largest)) / (each - largest))
  const room = Math.floor(Math.min(...limits))
  return Number.isFinite(room) ? room : null
}

/**
 * The same over all group clouds of a user. An account in several counts once, where it goes furthest: in the one with the
 * fewest copies.
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

/** Of a stranger's patience; the probe has its own. */
const PATIENCE_MS = 10_000

/** Whoever gets the row asks; the others take what is known. */
const TURN = `update accounts set quota_checked_at = now()
  where id = $1 and (quota_checked_at is null or quota_checked_at < now() - interval '1 minute')
  returning quota_checked_at as at`

/** Only over what was known when the provider was asked: what was stored meanwhile is not in its answer. */
const STORE = `update accounts set quota_state = $2::"QuotaState", quota_bytes = $3, used_bytes = coalesce($4, used_bytes),
    quota_checked_at = now()
  where id = $1 and used_bytes = $5 and disconnected_at is null
    and (quota_state, quota_bytes, used_bytes) is distinct from ($2::"QuotaState", $3::bigint, coalesce($4, used_bytes))
  returning user_id`

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
  /** Asks the provider now and keeps what it says. @throws ProviderError */
  ask(accountId: string, patienceMs: number): Promise<void>
  /** Asks at most once a minute, one at a time for each account; what fails is said in words. */
  read(account: AccountRow): Promise<QuotaReading>
}

export function createQuotas(deps: QuotasDeps): Quotas {
  const { pool } = deps
  const asking = new Map<string, Promise<string | null>>()
  /** Why the question of `at` went wrong, for those who ask again before its minute is over. */
  const failures = new Map<string, { readonly at: number; readonly error: string }>()

  async function ask(accountId: string, patienceMs: number): Promise<void> {
    const before = await readKnown(pool, accountId)
    const asked = await askProvider(deps, accountId, patienceMs)
    const { state, totalBytes, usedBytes: used } = quotaColumns(asked)
    const values = [accountId, state, totalBytes, used, before.usedBytes]
    const userId = await transaction(pool, async (tx) => {
      const { rows } = await tx.query<{ user_id: string }>(STORE, values)
      const [stored] = rows
      const after = { quotaState: state, quotaBytes: totalBytes, usedBytes: used ?? before.usedBytes }
      // Whoever waits for room goes on at once.
      if (stored && hasGrown(before, after)) {
        await enqueueSettle(tx, deps.enqueue, { userId: stored.user_id, room: true })
      }
      return stored?.user_id
    })
    if (userId) deps.events.publish('accountsChanged', userId, { accountIds: [accountId] })
  }

  /** @returns what went wrong, in words */
  async function askInTurn({
    id,
    name,
    provider,
    status,
    statusReason,
    quotaCheckedAt,
  }: AccountRow): Promise<string | null> {
    if (provider === 'local') return null
    if (status === 'EXPIRED') return statusReason ?? `“${name}” needs to be connected again.`
    const { rows } = await pool.query<{ at: Date }>(TURN, [id])
    const [turn] = rows
    if (!turn) {
      const failure = failures.get(id)
      return failure && failure.at === quotaCheckedAt?.getTime() ? failure.error : null
    }
    failures.delete(id)
    try {
      await ask(id, PATIENCE_MS)
      return null
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      failures.set(id, { at: turn.at.getTime(), error: inWords(error, name) })
      return inWords(error, name)
    }
  }

  return {
    ask,
    async read(account) {
      const running = asking.get(account.id) ?? askInTurn(account).finally(() => asking.delete(account.id))
      asking.set(account.id, running)
      const error = await running
      const known = await readKnown(pool, account.id)
      return { accountId: account.id, quota: quotaOf(known), error: error ?? unreachable(account) }
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

/** The account is told how it fared. A provider that does not answer in time cannot be reached. @throws ProviderError */
async function askProvider({ openDriver, health }: QuotasDeps, accountId: string, patienceMs: number) {
  try {
    const driver = await openDriver(accountId)
    const call = callFor(patienceMs)
    const quota = await driver.quota(call).catch((error: unknown) => {
      throw call.signal.aborted ? tooLate(driver.kind, error) : error
    })
    health.worked(accountId)
    return quota
  } catch (error) {
    if (error instanceof ProviderError) health.failed(accountId, error)
    throw error
  }
}

function tooLate(provider: string, cause: unknown): ProviderError {
  const message = 'The provider did not answer in time.'
  return new ProviderError('Transient', { provider, operation: 'quota' }, { message, cause })
}

function unreachable({ name, unreachableSince }: AccountRow): string | null {
  return unreachableSince === null ? null : `“${name}” cannot be reached. This is what was known last.`
}

function inWords({ code }: ProviderError, name: string): string {
  if (code === 'ReconnectNeeded') return `“${name}” needs to be connected again.`
  if (code === 'Misconfigured') return `This server is not set up to ask “${name}”. Please tell its administrator.`
  return `“${name}” could not be asked. This is what was known last.`
}
