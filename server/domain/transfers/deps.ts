import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Leases } from '../../db/leases.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { createSemaphore } from '../../lib/semaphore.ts'
import type { Driver } from '../../providers/driver.ts'
import type { ProviderError } from '../../providers/errors.ts'
import type { ByteSource } from '../../storage/byteSource.ts'
import type { ObjectStore } from '../../storage/objectStore.ts'
import type { Events } from '../events.ts'
import type { Enqueue } from '../jobs.ts'

/** What a change of rows needs. */
export type RowDeps = {
  readonly pool: Pool
  readonly enqueue: Enqueue
  readonly events: Pick<Events, 'publish'>
  readonly storage: Pick<ObjectStore, 'delete'>
  readonly clock: Clock
}

/** What sending needs beyond that. */
export type EngineDeps = RowDeps & {
  /** Rejects with ProviderError ReconnectNeeded for an account that is expired, disconnected or gone. */
  readonly openDriver: (accountId: string) => Promise<Driver>
  /** Told how each account fares. */
  readonly report: { failed(accountId: string, error: ProviderError): void; worked(accountId: string): void }
  /** The bytes of a file, from wherever they can be read. */
  readonly source: (fileId: string) => Promise<ByteSource>
  readonly encryption: Pick<Encryption, 'seal' | 'open'>
  readonly leases: Leases
  readonly takeSlot: TakeSlot
  /** Told what nobody expects. */
  readonly onError: (error: unknown) => void
}

/** Time, chance and order, as transfers see them: a simulation brings its own. */
export type Clock = {
  /** Milliseconds since 1970. */
  now(): number
  /** Rejects with the signal's reason once that is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** From 0 to less than 1. */
  random(): number
  /** Runs all tasks, side by side, and resolves with their values in the order of the tasks. Tasks do not throw. */
  parallel<Value>(tasks: readonly (() => Promise<Value>)[]): Promise<Value[]>
}

export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    await sleep(ms, undefined, { signal, ref: false }).catch((error: unknown) => {
      signal.throwIfAborted()
      throw error
    })
  },
  random: () => Math.random(),
  parallel: (tasks) => Promise.all(tasks.map((task) => task())),
}

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
