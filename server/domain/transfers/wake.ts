import type { ClientBase, Pool } from 'pg'
import { transaction } from '../../db/transaction.ts'
import { presentSql } from '../files/accountLoss.ts'
import { wakeRemovals } from '../files/removals.ts'
import type { RowDeps } from './deps.ts'
import { enqueueSettle } from './settle.ts'

/** An account that was disconnected is no reason to wait: its pieces are planned elsewhere. */
const WAKE = `update transfers t set state = 'WAITING', next_try_at = null
  where t.state = 'PARKED' and (t.next_try_at <= $1 or t.next_try_at is null and not exists (
    select from pieces p join accounts a on a.id = p.account_id
    where p.copy_id = t.copy_id and p.state = 'PLANNED' and a.disconnected_at is null and not ${presentSql('a')}))`

/** Its copy went with the account or the file that it belonged to. */
const END_EMPTY = `update transfers set state = 'CANCELLED', error = 'It is not needed any more.', ended_at = $1
  where copy_id is null and state in ('WAITING', 'RUNNING', 'PARKED')`

/** How long what is done can be looked up. */
const FORGET = `delete from transfers where state = 'DONE' and ended_at < $1::timestamptz - interval '7 days'`

/** Parked transfers whose reason is over wait to be sent again. */
export async function wakeParked({ clock }: Pick<RowDeps, 'clock'>, sql: Pool | ClientBase): Promise<void> {
  await sql.query(WAKE, [new Date(clock.now())])
}

/** Room comes back in many ways that tell nobody, and a crash may come between a loss and what follows: once an hour both are looked for. */
const HOURLY_AT_MINUTE = 11
const AT_RISK = `select distinct user_id as "userId", group_cloud_id as "groupCloudId" from files
  where state = 'AT_RISK' and group_cloud_id is not null and purged_at is null`

const LOST_LATELY = `select user_id as "userId", id as "accountId" from accounts a
  where not ${presentSql('a')} and a.updated_at > now() - interval '1 day'`

async function settleAtRisk({ pool, enqueue }: Pick<RowDeps, 'pool' | 'enqueue'>): Promise<void> {
  const { rows: atRisk } = await pool.query<{ userId: string; groupCloudId: string }>(AT_RISK)
  const { rows: lost } = await pool.query<{ userId: string; accountId: string }>(LOST_LATELY)
  for (const scope of [...atRisk, ...lost]) await transaction(pool, (tx) => enqueueSettle(tx, enqueue, scope))
}

/** What a crash, or a missed message, has left waiting. */
export async function wakeAll(deps: Pick<RowDeps, 'pool' | 'enqueue' | 'clock'>): Promise<void> {
  const now = new Date(deps.clock.now())
  await wakeParked(deps, deps.pool)
  await deps.pool.query(END_EMPTY, [now])
  await deps.pool.query(FORGET, [now])
  await transaction(deps.pool, (tx) => wakeRemovals(tx, deps.enqueue))
  if (now.getUTCMinutes() === HOURLY_AT_MINUTE) await settleAtRisk(deps)
}
