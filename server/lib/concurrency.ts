import { setMaxListeners } from 'node:events'
import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { type Cause, currentCause, withCause } from './cause.ts'

/**
 * Runs at most `limit` tasks at once. Waiting tasks are started by rank (lowest first), then in order of arrival. If
 * `maxWaiting[rank]` tasks of a rank are waiting, `createError` is thrown instead.
 */
export function createRankedSemaphore(limit: number, maxWaiting: readonly number[], createError: () => Error) {
  const waiting: (() => void)[][] = maxWaiting.map(() => [])
  let free = limit
  const enter = async (rank: number): Promise<void> => {
    const queue = waiting[rank] ?? []
    if (free > 0) free -= 1
    else if (queue.length >= (maxWaiting[rank] ?? 0)) throw createError()
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

/** Runs at most `limit` tasks at once; the others wait in order of arrival. */
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

type Keyed = <T>(key: string, most: number, task: () => Promise<T>) => Promise<T>

/** Runs at most `total` tasks at once, and of those with the same key at most `perKey`, or `most` where that is less; the others wait. */
export function createKeyedSemaphore({ total, perKey }: { readonly total: number; readonly perKey: number }): Keyed {
  const all = createSemaphore(total)
  const keys = new Map<string, { readonly limit: ReturnType<typeof createSemaphore>; users: number }>()

  return async (key, most, task) => {
    const ofKey = keys.get(key) ?? { limit: createSemaphore(Math.min(perKey, most)), users: 0 }
    keys.set(key, ofKey)
    ofKey.users += 1
    try {
      // The slot of the key first: a task that waits for a slow one must not hold a slot that others could use.
      return await ofKey.limit(() => all(task))
    } finally {
      ofKey.users -= 1
      if (ofKey.users === 0) keys.delete(key)
    }
  }
}

type Owner = { running: number; turn: number; readonly waiting: (() => void)[] }

export type FairSemaphore = <T>(owner: string, task: () => Promise<T>) => Promise<T>

/**
 * Runs at most `limit` tasks at once, and at most `perOwner` per owner. Free slots are given to waiting owners in turn (round robin), so
 * that one owner's many tasks do not delay others. If `maxWaiting` tasks of an owner are waiting, `createError` is thrown.
 */
export function createFairSemaphore(options: {
  readonly limit: number
  readonly perOwner: number
  readonly maxWaiting: number
  readonly createError: () => Error
}): FairSemaphore {
  const { limit, perOwner, maxWaiting, createError } = options
  const owners = new Map<string, Owner>()
  let free = limit
  let turn = 0

  /** The owner served least recently. */
  function nextOwner(): Owner | undefined {
    let next: Owner | undefined
    for (const owner of owners.values()) {
      if (owner.waiting.length === 0 || owner.running >= perOwner) continue
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
    if (state.waiting.length >= maxWaiting) throw createError()
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

/** Cheap steps that `eachWithPauses` takes without a pause: some milliseconds. */
const AT_ONCE = 5_000

/**
 * Uses each item in its order. Between every `atOnce` of them and the next, the event loop has a turn: requests are answered while there
 * is a lot to do. Ends with what `use` throws.
 */
export async function eachWithPauses<One>(
  all: readonly One[],
  use: (one: One) => void,
  atOnce = AT_ONCE,
): Promise<void> {
  for (let start = 0; start < all.length; start += atOnce) {
    if (start > 0) await setImmediate()
    for (const one of all.slice(start, start + atOnce)) use(one)
  }
}

/** Result of one item of a batch; a failure does not affect the others. */
export type Outcome<Output> =
  | { readonly ok: true; readonly value: Output }
  | { readonly ok: false; readonly error: unknown }

type BatcherOptions<Input, Output> = {
  /** Processes all items at once; returns one outcome per item, in order. If it throws, all items fail with that error. */
  readonly run: (items: readonly Input[]) => Promise<readonly Outcome<Output>[]>
  /** Maximum items per run. */
  readonly limit: number
}

type Waiting<Input, Output> = {
  readonly item: Input
  readonly cause: Cause | null
  readonly resolve: (value: Output) => void
  readonly reject: (error: unknown) => void
}

/**
 * Group commit: items submitted in one turn of the event loop, or while a run is in progress, are processed together in the next
 * run, so that its fixed cost (a transaction, an fsync) is shared. One run at a time, in order of submission. A run never waits
 * for more items. Its cause is that of its first item.
 */
export function createBatcher<Input, Output>({ run, limit }: BatcherOptions<Input, Output>) {
  let waiting: Waiting<Input, Output>[] = []
  let running = false

  async function drain(): Promise<void> {
    running = true
    while (waiting.length > 0) {
      // Requests that arrive together are read in one turn of the event loop: they should share a run.
      await setImmediate()
      const batch = waiting.slice(0, limit)
      waiting = waiting.slice(limit)
      await withCause(batch[0]?.cause ?? null, () => runBatch(batch, run))
    }
    running = false
  }

  return (item: Input): Promise<Output> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, cause: currentCause(), resolve, reject })
      if (!running) void drain()
    })
}

/** Never throws: failures reject the promises of the items. */
async function runBatch<Input, Output>(
  batch: readonly Waiting<Input, Output>[],
  run: BatcherOptions<Input, Output>['run'],
): Promise<void> {
  try {
    const outcomes = await run(batch.map(({ item }) => item))
    batch.forEach(({ resolve, reject }, index) => {
      const outcome = outcomes[index]
      if (!outcome) reject(new Error('A batch ended without an outcome for this item.'))
      else if (outcome.ok) resolve(outcome.value)
      else reject(outcome.error)
    })
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}

/** Items per grouped query: calls beyond that go into the next one. */
const MOST_GROUPED = 200

type Read<Value> = {
  readonly ids: readonly string[]
  readonly resolve: (values: Map<string, Value>) => void
  readonly reject: (error: unknown) => void
}

/**
 * Reads of one owner that are asked for in the same turn of the event loop share one call of `load`: requests that arrive together, or
 * that wait for the same transaction, then cost one query. Each caller gets the values for the ids that it gave; when `load` throws, all do.
 * Nothing is remembered: what was written before the call is read.
 */
export function createGroupedRead<Value>(
  load: (owner: string, ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): (owner: string, ids: readonly string[]) => Promise<Map<string, Value>> {
  const owners = new Map<string, Read<Value>[]>()

  async function loadAll(owner: string, reads: readonly Read<Value>[]): Promise<void> {
    try {
      const values = await load(owner, [...new Set(reads.flatMap(({ ids }) => ids))])
      for (const { ids, resolve } of reads) {
        resolve(new Map(ids.flatMap((id) => (values.has(id) ? [[id, values.get(id) as Value] as const] : []))))
      }
    } catch (error) {
      for (const { reject } of reads) reject(error)
    }
  }

  async function loadSoon(owner: string): Promise<void> {
    await setImmediate()
    const reads = owners.get(owner) ?? []
    owners.delete(owner)
    let group: Read<Value>[] = []
    let size = 0
    for (const read of reads) {
      if (group.length > 0 && size + read.ids.length > MOST_GROUPED) {
        void loadAll(owner, group)
        group = []
        size = 0
      }
      group.push(read)
      size += read.ids.length
    }
    void loadAll(owner, group)
  }

  return (owner, ids) =>
    new Promise((resolve, reject) => {
      const waiting = owners.get(owner)
      const read = { ids, resolve, reject }
      if (waiting) return void waiting.push(read)
      owners.set(owner, [read])
      void loadSoon(owner)
    })
}

/** With two more seconds for a busy server this keeps the promised five. */
const CHECK_INTERVAL_MS = 3_000

/** Destroys the stream with the signal's reason when it is aborted. The reader of the stream receives the error. */
export function destroyOnAbort(signal: AbortSignal, stream: Readable): Readable {
  const abort = (): void => {
    const { reason } = signal
    stream.destroy(reason instanceof Error ? reason : new Error(String(reason)))
  }
  // The signal of one job has many streams as listeners, which is not a leak.
  setMaxListeners(0, signal)
  stream.on('error', () => undefined)
  stream.once('close', () => signal.removeEventListener('abort', abort))
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  return stream
}

/**
 * Resolves or rejects as `work`, or rejects with the signal's reason as soon as it is aborted: for work that may hang, such as a
 * stalled stream. The work itself continues, and its result is ignored.
 */
export async function abortable<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  // A rejection after the abort must not count as unhandled.
  work.catch(() => undefined)
  signal.throwIfAborted()
  let stop = (): void => undefined
  const aborted = new Promise<never>((_resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    stop = () => signal.removeEventListener('abort', abort)
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    stop()
  }
}

/**
 * Polls `isValid` and calls `onInvalid` within five seconds after it becomes false, and on every later poll. A failing poll is
 * ignored. Returns a function that stops polling.
 */
export function watchValidity(isValid: () => Promise<boolean>, onInvalid: () => void): () => void {
  const poll = () =>
    isValid().then(
      (valid) => valid || onInvalid(),
      () => {},
    )
  const timer = setInterval(poll, CHECK_INTERVAL_MS)
  timer.unref()
  return () => clearInterval(timer)
}
