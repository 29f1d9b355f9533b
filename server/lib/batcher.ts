import { setImmediate } from 'node:timers/promises'

/** How one item of a batch fared: the others do not suffer from it. */
export type Outcome<Output> =
  | { readonly ok: true; readonly value: Output }
  | { readonly ok: false; readonly error: unknown }

export type BatcherOptions<Input, Output> = {
  /** Does the work for all items at once; one outcome per item, in their order. A throw is the outcome of every item. */
  readonly run: (items: readonly Input[]) => Promise<readonly Outcome<Output>[]>
  /** Most items of one run. */
  readonly limit: number
}

type Waiting<Input, Output> = {
  readonly item: Input
  readonly resolve: (value: Output) => void
  readonly reject: (error: unknown) => void
}

/**
 * Group commit: what is asked for in one turn of the event loop, or while a run is under way, becomes the next run together,
 * so that the fixed cost of a run (a transaction, an fsync) is shared. One run at a time, in the order of asking. Nobody waits
 * for others that may still come.
 */
export function createBatcher<Input, Output>({ run, limit }: BatcherOptions<Input, Output>) {
  let waiting: Waiting<Input, Output>[] = []
  let running = false

  async function drain(): Promise<void> {
    running = true
    while (waiting.length > 0) {
      // Requests whose bytes came at once are read in one turn of the event loop: they shall share a run.
      await setImmediate()
      const batch = waiting.slice(0, limit)
      waiting = waiting.slice(limit)
      await settle(batch, run)
    }
    running = false
  }

  return (item: Input): Promise<Output> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (!running) void drain()
    })
}

/** Never throws: every failure goes to those who wait for it. */
async function settle<Input, Output>(
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
