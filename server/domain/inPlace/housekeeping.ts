import type { Pool } from 'pg'
import { transaction } from '../../db/pool.ts'
import { ProviderError } from '../../providers/errors.ts'
import type { OpenDriver } from '../accounts/credentials.ts'
import { DomainError } from '../errors.ts'
import type { ChangeInPlace } from '../files/tree/steps.ts'
import type { InPlaceHousekeeping } from '../housekeeping.ts'
import type { Enqueue } from '../jobs.ts'
import { forgetTrashed } from './entries.ts'

/** Rows per transaction. */
const BATCH = 500

/** An hour is longer than a provider takes to report both halves of a move. */
const FORGET_AFTER = "interval '1 hour'"

type HousekeepingDeps = {
  readonly pool: Pool
  readonly enqueue: Enqueue
  readonly openDriver: OpenDriver
  readonly changeInPlace: ChangeInPlace
}

export function createInPlaceHousekeeping(deps: HousekeepingDeps): InPlaceHousekeeping {
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
        `select distinct e.account_id as "accountId" from account_entries e
           join files f on f.id = e.file_id
         where gone_at < now() - ${FORGET_AFTER} and f.purged_at is not null
           or not exists (select from account_indexes i where i.account_id = e.account_id)`,
      )
      await transaction(pool, async (tx) => {
        for (const { accountId } of rows) {
          await enqueue(tx, 'forgetEntries', { accountId }, { key: `forget ${accountId}` })
        }
      })
    },
    async expireTrash(signal) {
      const { rows } = await pool.query<ExpiredEntry>(EXPIRED)
      for (const entry of rows) {
        signal.throwIfAborted()
        await expire(deps, entry).catch(onlyRefusals)
      }
    },
  }
}

type ExpiredEntry = { readonly id: string; readonly userId: string; readonly accountId: string }

const EXPIRED = `select id, user_id as "userId", account_id as "accountId" from files
  where trashed_at < now() - interval '30 days' and purged_at is null and account_id is not null order by trashed_at, id limit ${BATCH}`

async function expire(
  { pool, openDriver, changeInPlace }: HousekeepingDeps,
  { id, userId, accountId }: ExpiredEntry,
): Promise<void> {
  const driver = await openDriver(accountId)
  if (driver.trash) await transaction(pool, (tx) => forgetTrashed(tx, [id]))
  else await changeInPlace({ userId }, { kind: 'REMOVE', id })
}

function onlyRefusals(error: unknown): void {
  if (!(error instanceof DomainError) && !(error instanceof ProviderError)) throw error
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
