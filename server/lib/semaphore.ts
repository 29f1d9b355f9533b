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

type Owner = { running: number; turn: number; readonly waiting: (() => void)[] }

export type FairTurns = <T>(owner: string, task: () => Promise<T>) => Promise<T>

/**
 * Lets at most `limit` tasks run at once, `each` of one owner. What becomes free goes round the owners that wait, so that nobody
 * waits for another one's many tasks. Where `mostWaiting` of an owner wait already, `refuse` says what is thrown.
 */
export function createFairTurns(options: {
  readonly limit: number
  readonly each: number
  readonly mostWaiting: number
  readonly refuse: () => Error
}): FairTurns {
  const { limit, each, mostWaiting, refuse } = options
  const owners = new Map<string, Owner>()
  let free = limit
  let turn = 0

  /** Whose turn was longest ago. */
  function nextOwner(): Owner | undefined {
    let next: Owner | undefined
    for (const owner of owners.values()) {
      if (owner.waiting.length === 0 || owner.running >= each) continue
      if (!next || owner.turn < next.turn) next = owner
    }
    return next
  }

  function pump(): void {
    for (let next = nextOwner(); next && free > 0; next = nextOwner()) {
      turn += 1
      next.turn = turn
      next.running += 1
      free -= 1
      next.waiting.shift()?.()
    }
  }

  return async (owner, task) => {
    const state = owners.get(owner) ?? { running: 0, turn: 0, waiting: [] }
    if (state.waiting.length >= mostWaiting) throw refuse()
    owners.set(owner, state)
    await new Promise<void>((begin) => {
      state.waiting.push(begin)
      pump()
    })
    try {
      return await task()
    } finally {
      state.running -= 1
      free += 1
      if (state.running === 0 && state.waiting.length === 0) owners.delete(owner)
      pump()
    }
  }
}
