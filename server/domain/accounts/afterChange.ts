import type pg from 'pg'
import { retrying, transaction } from '../../db/transaction.ts'
import type { Events } from '../events.ts'
import { wakeRemovalsOf } from '../files/removals.ts'
import { refreshStates, tellStates } from '../files/states.ts'
import type { Enqueue } from '../jobs.ts'
import type { ActivityLog } from '../services/activity.ts'
import { enqueueSettle } from '../transfers/settle.ts'

type Found = { readonly user_id: string; readonly name: string }

export type AfterChangeDeps = {
  readonly pool: pg.Pool
  readonly enqueue: Enqueue
  readonly events: Events
  readonly activity?: Pick<ActivityLog, 'record'>
}
/** `expired`: this is what has changed, just now. */
export type AfterChange = (accountId: string, change?: { readonly expired: boolean }) => Promise<void>

/**
 * What follows when an account is lost, back, connected or gone: the states of what it holds, the repairs, and the news. May run
 * any number of times.
 */
export function createAfterChange({ pool, enqueue, events, activity }: AfterChangeDeps): AfterChange {
  return async (accountId, { expired } = { expired: false }) => {
    const found = await pool.query<Found>('select user_id, name from accounts where id = $1', [accountId])
    const [account] = found.rows
    if (!account) return
    const { user_id: userId, name } = account
    const subject = { type: 'Account', id: accountId, name } as const
    if (expired) activity?.record({ kind: 'SYSTEM', userId }, { action: 'ACCOUNT_EXPIRED', subject })
    const changes = await retrying(() =>
      transaction(pool, async (client) => {
        const changed = await refreshStates(client, { accountId })
        await enqueueSettle(client, enqueue, { userId, accountId })
        await wakeRemovalsOf(client, enqueue, accountId)
        // What happened there meanwhile is to be known soon.
        await client.query('update account_feeds set next_at = now() where account_id = $1', [accountId])
        return changed
      }),
    )
    events.publish('accountsChanged', userId, { accountIds: [accountId] })
    tellStates(events, changes)
  }
}
