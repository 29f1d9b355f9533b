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
