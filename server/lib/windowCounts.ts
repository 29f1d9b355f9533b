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
