import type pg from 'pg'
import { retrying, transaction } from '../../db/transaction.ts'
import type { Events } from '../events.ts'
import { refreshStates, tellStates } from '../files/states.ts'
import type { Enqueue } from '../jobs.ts'
import { enqueueSettle } from '../transfers/settle.ts'

export type AfterChangeDeps = { readonly pool: pg.Pool; readonly enqueue: Enqueue; readonly events: Events }
export type AfterChange = (accountId: string) => Promise<void>

/**
 * What follows when an account is lost, back, connected or gone: the states of what it holds, the repairs, and the news. May run
 * any number of times.
 */
export function createAfterChange({ pool, enqueue, events }: AfterChangeDeps): AfterChange {
  return async (accountId) => {
    const found = await pool.query<{ user_id: string }>('select user_id from accounts where id = $1', [accountId])
    const userId = found.rows[0]?.user_id
    if (userId === undefined) return
    const changes = await retrying(() =>
      transaction(pool, async (client) => {
        const changed = await refreshStates(client, { accountId })
        await enqueueSettle(client, enqueue, { userId, accountId })
        return changed
      }),
    )
    events.publish('accountsChanged', userId, { accountIds: [accountId] })
    tellStates(events, changes)
  }
}
