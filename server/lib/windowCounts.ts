type Count = { taken: number; readonly since: number }

export type WindowCounts = {
  /** Counts one more of `key`. Answers with 0, or, when `most` have been counted, with the seconds until its window ends. */
  take(key: string, most: number): number
  /** One that was counted by mistake. */
  giveBack(key: string): void
}

/**
 * How often something happened lately, in memory: a flood costs no statement. The window of a key begins with its first; with
 * more keys than `mostKeys` at once the count begins anew for all of them, so that memory stays bounded.
 */
export function createWindowCounts(windowMs: number, mostKeys: number, now: () => number): WindowCounts {
  const counts = new Map<string, Count>()
  let sweptAt = now()

  const isOver = (since: number) => now() - since >= windowMs
  /** Once a window, so that one more costs the same among however many keys. */
  const sweep = () => {
    if (counts.size >= mostKeys) counts.clear()
    if (!isOver(sweptAt)) return
    for (const [key, { since }] of counts) if (isOver(since)) counts.delete(key)
    sweptAt = now()
  }

  return {
    take(key, most) {
      sweep()
      const known = counts.get(key)
      const count = known && !isOver(known.since) ? known : { taken: 0, since: now() }
      if (count.taken >= most) return Math.max(1, Math.ceil((count.since + windowMs - now()) / 1000))
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
