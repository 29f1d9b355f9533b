import { isRefusal, retrying } from '../../db/transaction.ts'
import type { Outcome } from '../../lib/batcher.ts'

/** When PostgreSQL refuses a batch as a whole (one item is malformed), each item is tried by itself; a lost race is tried again. */
export function isolating<Item, Result>(run: (items: readonly Item[]) => Promise<Outcome<Result>[]>) {
  return async (items: readonly Item[]): Promise<Outcome<Result>[]> => {
    try {
      return await retrying(() => run(items))
    } catch (error) {
      if (!isRefusal(error) || items.length === 1) throw error
    }
    const outcomes: Outcome<Result>[] = []
    for (const item of items) {
      outcomes.push(...(await retrying(() => run([item])).catch((error: unknown) => [{ ok: false, error } as const])))
    }
    return outcomes
  }
}
