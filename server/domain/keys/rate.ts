import { TooManyRequestsError } from '../errors.ts'
import type { RateLeft } from '../viewer.ts'

const MINUTE_MS = 60_000
/** Beyond so many, those that have long been full again are let go of. */
const MANY = 10_000

export type Rate = {
  /** What is left of it; null where there is no limit. @throws TooManyRequestsError */
  take(keyId: string): RateLeft | null
}

type Bucket = { tokens: number; at: number }

/**
 * So many calls a minute by each key, in this process: a full bucket may be emptied at once and fills up evenly. Null: no limit.
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
