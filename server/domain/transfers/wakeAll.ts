import { transaction } from '../../db/transaction.ts'
import { presentSql } from '../files/accountLoss.ts'
import { wakeRemovals } from '../files/removals.ts'
import { changeCopies } from './changes.ts'
import type { RowDeps } from './deps.ts'
import { forgetOver } from './forget.ts'
import { lockAccounts } from './members.ts'
import { enqueueSettle } from './settle.ts'
import { GONE_AFTER } from './settleRows.ts'
import { wakeStopped } from './wake.ts'

/** Its copy went with the account or the file that it belonged to. */
const END_EMPTY = `update transfers set state = 'CANCELLED', error = 'It is not needed any more.', ended_at = $1
  where copy_id is null and state in ('WAITING', 'RUNNING', 'PARKED')`

const AT_RISK = `select distinct user_id as "userId", group_cloud_id as "groupCloudId" from files
  where state = 'AT_RISK' and group_cloud_id is not null and purged_at is null`

const LOST_LATELY = `select user_id as "userId", id as "accountId" from accounts a
  where not ${presentSql('a')} and a.updated_at > now() - interval '1 day'
    or a.disconnected_at between $1::timestamptz - interval '${GONE_AFTER}' - interval '1 day' and $1::timestamptz - interval '${GONE_AFTER}'`

async function settleAtRisk({ pool, enqueue }: Pick<RowDeps, 'pool' | 'enqueue'>, now: Date): Promise<void> {
  const { rows: atRisk } = await pool.query<{ userId: string; groupCloudId: string }>(AT_RISK)
  const { rows: lost } = await pool.query<{ userId: string; accountId: string }>(LOST_LATELY, [now])
  for (const scope of [...atRisk, ...lost]) await transaction(pool, (tx) => enqueueSettle(tx, enqueue, scope))
}

/** Of each user by a transaction of its own: their accounts are locked meanwhile. */
async function wakeEverybody(deps: RowDeps): Promise<void> {
  const { rows } = await deps.pool.query<{ userId: string }>(
    `select distinct user_id as "userId" from transfers where state = 'PARKED'`,
  )
  for (const { userId } of rows) {
    await changeCopies(deps, async ({ tx, fileIds }) => {
      await lockAccounts(tx, userId)
      for (const id of await wakeStopped(deps, tx, userId)) fileIds.add(id)
    })
  }
}

/** What a crash, or a missed message, has left waiting. */
export async function wakeAll(deps: RowDeps): Promise<void> {
  const now = new Date(deps.clock.now())
  await wakeEverybody(deps)
  await deps.pool.query(END_EMPTY, [now])
  await transaction(deps.pool, (tx) => wakeRemovals(tx, deps.enqueue))
}

/**
 * Forgets finished transfers, and queues reconciling of every group cloud with files at risk and of every account lost within
 * a day: room can return without any event, and a crash can come between a loss and the work that follows from it.
 */
export async function reconcileAll(deps: RowDeps): Promise<void> {
  await forgetOver(deps)
  await settleAtRisk(deps, new Date(deps.clock.now()))
}
