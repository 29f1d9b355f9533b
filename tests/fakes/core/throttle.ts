import { setTimeout as sleep } from 'node:timers/promises'

/** The bandwidth of users: one token bucket each, shared by both directions and all connections. */
export type Throttles = {
  set(key: string, bytesPerSecond: number | null): void
  /** Resolves when this many bytes of the user may pass; at once for who has no limit. */
  pass(key: string, bytes: number): Promise<void>
}

type Bucket = { readonly bytesPerSecond: number; freeAt: number }

/** Bytes that may come at once after a rest, as time. */
const BURST_MS = 50
const STEP_MS = 5

export function createThrottles(): Throttles {
  const buckets = new Map<string, Bucket>()
  return {
    set(key, bytesPerSecond) {
      if (bytesPerSecond === null) buckets.delete(key)
      else buckets.set(key, { bytesPerSecond, freeAt: performance.now() })
    },
    async pass(key, bytes) {
      const bucket = buckets.get(key)
      if (!bucket) return
      const now = performance.now()
      bucket.freeAt = Math.max(bucket.freeAt, now - BURST_MS) + (bytes / bucket.bytesPerSecond) * 1000
      const wait = bucket.freeAt - now
      if (wait > STEP_MS) await sleep(wait)
    },
  }
}
