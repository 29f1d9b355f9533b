import type pg from 'pg'
import { TooManyRequestsError } from '../errors.ts'
import type { RateLeft } from '../viewer.ts'

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
  take(keyId: string): RateLeft | null
}

type Bucket = { tokens: number; at: number }

/**
 * Token bucket per key, in this process: `callsAMinute` calls can be made at once, and refill evenly within a minute. Null: no limit.
 */
export function createRate(callsAMinute: number | null, now: () => number = () => performance.now()): Rate {
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

function tooMany(seconds: number, limit: number): TooManyRequestsError {
  return new TooManyRequestsError(seconds, 'This API key has made too many requests.', limit)
}

function dropFull(buckets: Map<string, Bucket>, now: number): void {
  for (const [id, { at }] of buckets) if (now - at > MINUTE_MS) buckets.delete(id)
}
