import type pg from 'pg'
import { networkOf } from '../../lib/addresses.ts'
import { createBatcher, type Outcome } from '../../lib/concurrency.ts'
import type { SharedCalls } from '../../lib/limits.ts'
import { createCounts } from '../../lib/windowCounts.ts'
import { TooManyRequestsError } from '../errors.ts'
import type { RateLeft, Scope, Viewer } from '../viewer.ts'
import { hasChecksum, hashOf, IS_LIVE } from './contract.ts'

/**
 * Runs for every request with a key; `at` is the index of the hash. The condition on the hash length is for the planner, see
 * users/sessions.ts.
 */
const VIEWERS_OF = {
  name: 'viewers-of-keys',
  text: `select at, k.id, k.user_id, k.scopes::text[] as scopes, ${IS_LIVE} as live,
      k.last_used_at is null or k.last_used_at < now() - interval '1 minute' as stale
    from unnest($1::bytea[]) with ordinality as asked(hash, at) join api_keys k on k.key_hash = hash
    where octet_length(hash) = 32`,
}
/** Maximum number of keys per statement. */
const BATCH = 100

const USED = `update api_keys set last_used_at = now()
  where id = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')`

const IS_KEY_LIVE = {
  name: 'is-key-live',
  text: `select 1 from api_keys k where k.id = $1 and k.key_hash = $2 and ${IS_LIVE}`,
}

type Found = { at: string; id: string; user_id: string; scopes: Scope[]; live: boolean; stale: boolean }

export type KeyAuthentication = {
  /** As KeysService.viewerOf. @throws TooManyRequestsError for a key over its rate limit, and for a network that guesses keys */
  viewerOf(key: string, address: string): Promise<Viewer | null>
  /** Whether the viewer's key is still valid; false when it was regenerated since. Does not count as use. */
  isLive(viewer: Viewer): Promise<boolean>
}

/** Keys are rows, checked by the database's clock: revoking one takes effect immediately in all processes. */
export function createKeyAuthentication(
  pool: pg.Pool,
  usage: Pick<Usage, 'count'>,
  rate: Rate,
  calls: SharedCalls | null = null,
): KeyAuthentication {
  const find = createBatcher({ limit: BATCH, run: (hashes: readonly Buffer[]) => findKeys(pool, hashes) })
  const guesses = createGuesses(calls)
  return {
    async viewerOf(text, address) {
      if (!hasChecksum(text)) return null
      const hash = hashOf(text)
      const hex = hash.toString('hex')
      await guesses.count(address, hex)
      const key = await find(hash)
      if (!key) return null
      guesses.refund(address, hex)
      if (!key.live) return null
      usage.count(key.id)
      const left = await rate.take(key.id)
      if (key.stale) await pool.query(USED, [key.id])
      return {
        userId: key.user_id,
        sessionId: null,
        key: { id: key.id, scopes: key.scopes, hash: hex, ...(left && { rate: left }) },
      }
    },
    async isLive({ key }) {
      if (key?.hash === undefined) return false
      const { rowCount } = await pool.query({ ...IS_KEY_LIVE, values: [key.id, Buffer.from(key.hash, 'hex')] })
      return rowCount === 1
    },
  }
}

/** The key of each hash, valid or not; null for none. One statement for all requests that arrived in the meantime. */
async function findKeys(pool: pg.Pool, hashes: readonly Buffer[]): Promise<Outcome<Found | null>[]> {
  const { rows } = await pool.query<Found>({ ...VIEWERS_OF, values: [hashes] })
  const found = new Map(rows.map((row) => [Number(row.at), row]))
  return hashes.map((_, index) => ({ ok: true, value: found.get(index + 1) ?? null }))
}

const WINDOW_MS = 60_000
/** Unknown but well-formed keys per network and window. */
export const MOST_GUESSES = 60
/** Beyond this number of entries, counts and known keys are cleared, so that memory stays bounded. */
const MOST_REMEMBERED = 10_000

export type Guesses = {
  /** Counts a key as a guess before it is checked, so that parallel guesses cannot exceed the limit. @throws TooManyRequestsError */
  count(address: string, hash: string): Promise<void>
  /** Uncounts an existing (or revoked) key, and remembers it. */
  refund(address: string, hash: string): void
}

/** Beyond the limit, guesses cost hardly a statement. Known keys keep working, whatever else their network sends. */
function createGuesses(calls: SharedCalls | null): Guesses {
  const counts = createCounts({ name: 'key guesses', calls, windowMs: WINDOW_MS, maxKeys: MOST_REMEMBERED })
  const known = new Set<string>()
  return {
    async count(address, hash) {
      if (known.has(hash)) return
      const seconds = await counts.take(networkOf(address), MOST_GUESSES)
      if (seconds > 0) throw new TooManyRequestsError(seconds)
    },
    refund(address, hash) {
      if (known.has(hash)) return
      if (known.size >= MOST_REMEMBERED) known.clear()
      known.add(hash)
      counts.giveBack(networkOf(address))
    },
  }
}

const FLUSH_MS = 10_000
const DAYS_SHOWN = 30

export type DayOfUse = { readonly day: Date; readonly calls: number }

export type Usage = {
  count(keyId: string): void
  /** Writes all counted calls to the database. */
  flush(): Promise<void>
  ofKeys(keyIds: readonly string[]): Promise<Map<string, DayOfUse[]>>
  start(): void
  /** Stops the timer and flushes. */
  stop(): Promise<void>
}

/** Days in UTC. Keys that were deleted in the meantime are skipped. */
const ADD = `insert into api_key_usage (key_id, day, calls)
  select n.id, (now() at time zone 'utc')::date, n.calls
  from unnest($1::uuid[], $2::int[]) n(id, calls) where exists (select from api_keys k where k.id = n.id)
  on conflict (key_id, day) do update set calls = api_key_usage.calls + excluded.calls`

const FORGET = `delete from api_key_usage where key_id = any($1::uuid[])
  and day < (now() at time zone 'utc')::date - interval '1 year'`

const READ = `select key_id, day::text as day, calls from api_key_usage
  where key_id = any($1::uuid[]) and day > (now() at time zone 'utc')::date - ${DAYS_SHOWN} order by day`

/** Counts calls in memory and adds them to the database every ten seconds, so that calls do not wait for a statement. */
export function createUsage(pool: pg.Pool, onError: (error: unknown) => void): Usage {
  let counted = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined

  function add(keyId: string, calls: number): void {
    counted.set(keyId, (counted.get(keyId) ?? 0) + calls)
  }

  async function flush(): Promise<void> {
    if (counted.size === 0) return
    const batch = counted
    counted = new Map()
    const ids = [...batch.keys()].sort()
    try {
      await pool.query(ADD, [ids, ids.map((id) => batch.get(id))])
    } catch (error) {
      for (const [id, calls] of batch) add(id, calls)
      throw error
    }
    await pool.query(FORGET, [ids])
  }

  return {
    count: (keyId) => add(keyId, 1),
    flush,
    async ofKeys(keyIds) {
      await flush()
      const { rows } = await pool.query<{ key_id: string; day: string; calls: number }>(READ, [keyIds])
      const days = new Map<string, DayOfUse[]>(keyIds.map((id) => [id, []]))
      for (const { key_id, day, calls } of rows) days.get(key_id)?.push({ day: new Date(`${day}T00:00:00Z`), calls })
      return days
    },
    start() {
      timer = setInterval(() => void flush().catch(onError), FLUSH_MS)
      timer.unref()
    },
    async stop() {
      clearInterval(timer)
      await flush().catch(onError)
    },
  }
}

const MINUTE_MS = 60_000
/** Beyond this number of buckets, full ones are dropped. */
const MANY = 10_000

export type Rate = {
  /** Counts a call and returns the remaining ones; null: no limit. @throws TooManyRequestsError */
  take(keyId: string): RateLeft | null | Promise<RateLeft>
}

type Bucket = { tokens: number; at: number }

/**
 * Token bucket per key, in this process: `callsAMinute` calls can be made at once, and refill evenly within a minute. Null: no limit.
 */
export function createRate(
  callsAMinute: number | null,
  now: () => number = () => performance.now(),
): { take(keyId: string): RateLeft | null } {
  if (callsAMinute === null) return { take: () => null }
  const buckets = new Map<string, Bucket>()
  const callMs = MINUTE_MS / callsAMinute
  return {
    take(keyId) {
      const at = now()
      const bucket = buckets.get(keyId) ?? { tokens: callsAMinute, at }
      if (buckets.size > MANY) dropFull(buckets, at)
      bucket.tokens = Math.min(callsAMinute, bucket.tokens + (at - bucket.at) / callMs)
      bucket.at = at
      buckets.set(keyId, bucket)
      if (bucket.tokens < 1) {
        throw tooMany(Math.ceil(((1 - bucket.tokens) * callMs) / 1000), callsAMinute)
      }
      bucket.tokens -= 1
      const resetSeconds = Math.ceil(((callsAMinute - bucket.tokens) * callMs) / 1000)
      return { limit: callsAMinute, remaining: Math.floor(bucket.tokens), resetSeconds }
    },
  }
}

/** The same over all servers. */
export function createSharedRate(callsAMinute: number, calls: SharedCalls): Rate {
  const rule = { most: callsAMinute, refills: true }
  return {
    async take(keyId) {
      const { waitMs, remaining, fullMs } = await calls.take(`key:${keyId}`, rule)
      if (waitMs > 0) throw tooMany(Math.ceil(waitMs / 1000), callsAMinute)
      return { limit: callsAMinute, remaining, resetSeconds: Math.ceil(fullMs / 1000) }
    },
  }
}

function tooMany(seconds: number, limit: number): TooManyRequestsError {
  return new TooManyRequestsError(seconds, 'This API key has made too many requests.', limit)
}

function dropFull(buckets: Map<string, Bucket>, now: number): void {
  for (const [id, { at }] of buckets) if (now - at > MINUTE_MS) buckets.delete(id)
}
