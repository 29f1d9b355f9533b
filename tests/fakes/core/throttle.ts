import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** The bandwidth of users: one token bucket each, shared by both directions and all connections. */
export type Throttles = {
  set(key: string, bytesPerSecond: number | null): void
  /** Resolves when this many bytes of the user may pass; at once for who has no limit. */
  pass(key: string, bytes: number): Promise<void>
}

type Bucket = { readonly bytesPerSecond: number; freeAt: number; readonly ended: AbortController }

/** Bytes that may come at once after a rest, as time. */
const BURST_MS = 50
const STEP_MS = 5

export function createThrottles(): Throttles {
  const buckets = new Map<string, Bucket>()
  return {
    set(key, bytesPerSecond) {
      // What waits for the earlier bandwidth may pass.
      buckets.get(key)?.ended.abort()
      if (bytesPerSecond === null) return void buckets.delete(key)
      const ended = new AbortController()
      setMaxListeners(0, ended.signal)
      buckets.set(key, { bytesPerSecond, freeAt: performance.now(), ended })
    },
    async pass(key, bytes) {
      const bucket = buckets.get(key)
      if (!bucket) return
      const now = performance.now()
      bucket.freeAt = Math.max(bucket.freeAt, now - BURST_MS) + (bytes / bucket.bytesPerSecond) * 1000
      const wait = bucket.freeAt - now
      if (wait > STEP_MS) await sleep(wait, undefined, { signal: bucket.ended.signal }).catch(() => undefined)
    },
  }
}
