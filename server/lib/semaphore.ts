/**
 * Lets at most `limit` tasks run at once. Of those that wait, the ones with the lower rank go first, else who came first; where
 * `mostWaiting` of a rank wait already, `refuse` says what is thrown instead.
 */
export function createRankedSemaphore(limit: number, mostWaiting: readonly number[], refuse: () => Error) {
  const waiting: (() => void)[][] = mostWaiting.map(() => [])
  let free = limit
  const enter = async (rank: number): Promise<void> => {
    const queue = waiting[rank] ?? []
    if (free > 0) free -= 1
    else if (queue.length >= (mostWaiting[rank] ?? 0)) throw refuse()
    else await new Promise<void>((resolve) => queue.push(resolve))
  }
  const leave = (): void => {
    const next = waiting.find((queue) => queue.length > 0)?.shift()
    if (next) next()
    else free += 1
  }
  return async <T>(rank: number, task: () => Promise<T>): Promise<T> => {
    await enter(rank)
    try {
      return await task()
    } finally {
      leave()
    }
  }
}

/** Lets at most `limit` tasks run at once; the others wait their turn, first come first served. */
export function createSemaphore(limit: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let free = limit
  const enter = async (): Promise<void> => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
  }
  const leave = (): void => {
    const next = waiting.shift()
    if (next) next()
    else free += 1
  }
  return async (task) => {
    await enter()
    try {
      return await task()
    } finally {
      leave()
    }
  }
}
