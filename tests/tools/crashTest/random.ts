/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function createRandom(seed: number) {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    /** A whole number from `low` to `high`, both included. */
    between: (low: number, high: number): number => low + Math.floor(next() * (high - low + 1)),
    /** Sizes of all magnitudes are equally likely. */
    size: (most: number): number => Math.max(1, Math.floor(Math.exp(next() * Math.log(most)))),
  }
}

export type Random = ReturnType<typeof createRandom>

export function pick<Item>(items: readonly Item[], random: Random): Item {
  const found = items[random.between(0, items.length - 1)]
  if (found === undefined) throw new Error('There is nothing to choose from.')
  return found
}
