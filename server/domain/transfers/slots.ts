import { createSemaphore } from '../../lib/semaphore.ts'

/** Pieces that are sent at once: so many over all accounts, so many of one account. */
export type SlotLimits = { readonly total: number; readonly perAccount: number }

export const SLOT_LIMITS: SlotLimits = { total: 16, perAccount: 4 }

/** Runs `task` when the account and the process have a slot for it. `most`: what the account's service allows. */
export type TakeSlot = <Value>(accountId: string, most: number, task: () => Promise<Value>) => Promise<Value>

export function createSlots({ total, perAccount }: SlotLimits): TakeSlot {
  const all = createSemaphore(total)
  const accounts = new Map<string, { readonly limit: ReturnType<typeof createSemaphore>; users: number }>()

  return async (accountId, most, task) => {
    const account = accounts.get(accountId) ?? { limit: createSemaphore(Math.min(perAccount, most)), users: 0 }
    accounts.set(accountId, account)
    account.users += 1
    try {
      // The account's first: what waits for a slow account must not hold a slot that others could use.
      return await account.limit(() => all(task))
    } finally {
      account.users -= 1
      if (account.users === 0) accounts.delete(accountId)
    }
  }
}
