import type { Pool } from 'pg'
import { createSemaphore } from '../../lib/concurrency.ts'
import type { Call, Change, Driver, EntryRef } from '../../providers/driver.ts'
import { isFailure } from '../../providers/errors.ts'
import type { Also } from './apply.ts'

// Questions to accounts about entries, and what their answers are worth.

/** The state of an entry now, as a change. @throws ProviderError other than NotFound */
export async function askAbout(driver: Driver, call: Call, ref: EntryRef): Promise<Change> {
  try {
    return { ref, entry: await driver.stat(call, ref) }
  } catch (error) {
    call.signal.throwIfAborted()
    if (isFailure(error, 'NotFound')) return { ref, entry: null }
    throw error
  }
}

/**
 * Where references are paths, what was read before a change of the user's can bring back an entry that was moved: it is not stored.
 * @returns statements for reports of what is read from now on
 */
export async function unlessChanged(pool: Pool, accountId: string, driver: Driver): Promise<Also> {
  if (!driver.capabilities.pathRefs) return {}
  const text = 'select own_changes as count from account_indexes where account_id = $1'
  const { rows } = await pool.query<{ count: number }>(text, [accountId])
  return {
    first: async ({ tx }) => {
      const now = await tx.query<{ count: number }>(`${text} for update`, [accountId])
      return now.rows[0] !== undefined && now.rows[0].count === rows[0]?.count
    },
  }
}

/** Concurrent calls; few, so that calls of users are not delayed. */
const CONCURRENCY = 2

/** As askAbout. Without those that the server does not let the user look at. */
export async function askEach(driver: Driver, callOf: () => Call, refs: readonly EntryRef[]): Promise<Change[]> {
  const inTurn = createSemaphore(CONCURRENCY)
  const found = await Promise.all(
    refs.map((ref) => inTurn(() => askAbout(driver, callOf(), ref).catch(unlessForbidden(driver)))),
  )
  return found.filter((one) => one !== null)
}

/** For `catch`: null where the server does not let the user look; that says nothing about the entry. */
export function unlessForbidden({ capabilities }: Driver) {
  return (error: unknown): null => {
    if (!capabilities.pathRefs || !isFailure(error, 'Forbidden')) throw error
    return null
  }
}
