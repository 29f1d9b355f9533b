import type { ClientBase, Pool } from 'pg'
import { presentSql } from '../files/accountLoss.ts'
import type { RowDeps } from './deps.ts'

/** An account that was disconnected is no reason to wait: its pieces are planned elsewhere. */
const WAKE = `update transfers t set state = 'WAITING', next_try_at = null
  where t.state = 'PARKED' and ($2::uuid is null or t.user_id = $2) and (t.next_try_at <= $1 or t.next_try_at is null and not exists (
    select from pieces p join accounts a on a.id = p.account_id
    where p.copy_id = t.copy_id and p.state = 'PLANNED' and a.disconnected_at is null and not ${presentSql('a')}))`

/** Parked transfers, of one user or of all (null), whose reason is over wait to be sent again. */
export async function wakeParked(
  { clock }: Pick<RowDeps, 'clock'>,
  sql: Pool | ClientBase,
  userId: string | null,
): Promise<void> {
  await sql.query(WAKE, [new Date(clock.now()), userId])
}
