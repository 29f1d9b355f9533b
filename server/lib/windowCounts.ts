import type { SharedCalls } from './limits.ts'

type Count = { taken: number; readonly since: number }

export type WindowCounts = {
  /** Counts one event of `key`. Returns 0, or, if `limit` was already reached, the seconds until its window ends. */
  take(key: string, limit: number): number
  /** Reverts one count. */
  giveBack(key: string): void
}

/**
 * Fixed-window rate limits in memory, so that a flood of requests costs no SQL. The window of a key begins with its first event.
 * When there are more than `maxKeys` keys, all counts are reset, so that memory is bounded.
 */
export function createWindowCounts(windowMs: number, maxKeys: number, now: () => number): WindowCounts {
  const counts = new Map<string, Count>()
  let sweptAt = now()

  const isExpired = (since: number) => now() - since >= windowMs
  /** Once per window, so that the average cost of an event does not depend on the number of keys. */
  const sweep = () => {
    if (counts.size >= maxKeys) counts.clear()
    if (!isExpired(sweptAt)) return
    for (const [key, { since }] of counts) if (isExpired(since)) counts.delete(key)
    sweptAt = now()
  }

  return {
    take(key, limit) {
      sweep()
      const known = counts.get(key)
      const count = known && !isExpired(known.since) ? known : { taken: 0, since: now() }
      if (count.taken >= limit) return Math.max(1, Math.ceil((count.since + windowMs - now()) / 1000))
      count.taken += 1
      counts.set(key, count)
      return 0
    },
    giveBack(key) {
      const count = counts.get(key)
      if (count) count.taken = Math.max(0, count.taken - 1)
    },
  }
}

/** As WindowCounts, or the same over all servers. */
export type Counts = {
  take(key: string, limit: number): number | Promise<number>
  giveBack(key: string): void
}

/** The window of `SharedCalls`. */
const SHARED_WINDOW_MS = 60_000

/** Counts over all servers with `calls`, and in this process without. `name` keeps counts of different purposes apart. */
export function createCounts(options: {
  readonly name: string
  readonly calls: SharedCalls | null
  readonly windowMs: typeof SHARED_WINDOW_MS
  readonly maxKeys: number
  readonly now?: () => number
}): Counts {
  const { name, calls, windowMs, maxKeys, now = Date.now } = options
  if (!calls) return createWindowCounts(windowMs, maxKeys, now)
  return {
    async take(key, limit) {
      const { waitMs } = await calls.take(`${name} ${key}`, { most: limit, refills: false })
      return Math.ceil(waitMs / 1000)
    },
    giveBack: (key) => calls.giveBack(`${name} ${key}`),
  }
}
