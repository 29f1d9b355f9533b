import type { Pool } from 'pg'
import { transaction } from '../../db/pool.ts'
import type { InPlaceHousekeeping } from '../housekeeping.ts'
import type { Enqueue } from '../jobs.ts'

/** Rows per transaction. */
const BATCH = 500

/** An hour is longer than a provider takes to report both halves of a move. */
const FORGET_AFTER = "interval '1 hour'"

export function createInPlaceHousekeeping(deps: {
  readonly pool: Pool
  readonly enqueue: Enqueue
}): InPlaceHousekeeping {
  const { pool, enqueue } = deps
  return {
    async forgetEntries(accountId, signal) {
      for (let count = BATCH; count > 0; ) {
        signal.throwIfAborted()
        count = await forgetSome(pool, accountId)
      }
      await pool.query(
        `delete from unplaced_entries where account_id = $1
         and not exists (select from account_indexes i where i.account_id = $1)`,
        [accountId],
      )
    },
    async sweepEntries() {
      const { rows } = await pool.query<{ accountId: string }>(
        `select distinct account_id as "accountId" from account_entries e
         where gone_at < now() - ${FORGET_AFTER} or not exists (select from account_indexes i where i.account_id = e.account_id)`,
      )
      await transaction(pool, async (tx) => {
        for (const { accountId } of rows) {
          await enqueue(tx, 'forgetEntries', { accountId }, { key: `forget ${accountId}` })
        }
      })
    },
  }
}

/**
 * Removes rows without children, so from the bottom up: those that are gone, or all if the account has no index any more.
 * @returns how many
 */
async function forgetSome(pool: Pool, accountId: string): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from files where id in (
       select f.id from account_entries e join files f on f.id = e.file_id
       where e.account_id = $1 and not exists (select from files c where c.parent_id = f.id)
         and (f.purged_at is not null and e.gone_at < now() - ${FORGET_AFTER}
           or not exists (select from account_indexes i where i.account_id = $1))
       limit $2)`,
    [accountId, BATCH],
  )
  if (rowCount) return rowCount
  await pool.query(
    `delete from files f where f.account_id = $1 and f.purged_at is not null and f.parent_id is null
       and not exists (select from files c where c.parent_id = f.id)
       and not exists (select from account_indexes i where i.account_id = $1)`,
    [accountId],
  )
  return 0
}
