import type { Pool } from 'pg'
import { transaction } from '../../db/pool.ts'
import type { Events } from '../events.ts'
import { ROOT } from '../files/tree/entries.ts'
import type { RoomHousekeeping } from '../housekeeping.ts'
import { findWasted, type Home, type Place, sumAll, type Wasted } from './read.ts'
import type { FolderSum } from './tally.ts'

/** A stored answer. The root's also has what duplicates waste in the whole place. */
export type StoredAnswer = FolderSum & { readonly wasted?: Wasted }

/**
 * The share of time that computing an account again may take, however often it is looked at: an answer that took 5 seconds is used for
 * 100, and each for a minute at least.
 */
const SHARE = 20
const AT_LEAST_MS = 60_000

/** Whether an answer is old enough to be computed again. $1 and $2 as in FRESH. */
export const IS_STALE = `as_of < now() - greatest(${AT_LEAST_MS}, took_ms::bigint * ${SHARE}) * interval '1 millisecond'`

const FRESH = `select 1 from room_answers where account_id = $1 and folder_id = $2 and not ${IS_STALE}`

const CLEAR = 'delete from room_answers where account_id = $1 and home = $2'

const STORE = `insert into room_answers (account_id, folder_id, home, answer, as_of, took_ms)
  select $1, (a->>'id')::uuid, $2, a->'answer', $4, $5 from jsonb_array_elements($3::jsonb) a`

const PLACE = `select a.id as "accountId", a.user_id as "userId", i.root_file_id as "rootFileId"
  from accounts a left join account_indexes i on i.account_id = a.id where a.id = $1 and a.disconnected_at is null`

export function createRoomHousekeeping({
  pool,
  events,
}: {
  readonly pool: Pool
  readonly events: Pick<Events, 'publish'>
}): RoomHousekeeping {
  return {
    async measure(accountId, home, signal) {
      const place = await findPlace(pool, accountId, home)
      if (!place) {
        await pool.query(CLEAR, [accountId, home])
        return
      }
      const fresh = await pool.query(FRESH, [accountId, place.rootId])
      if (fresh.rows.length > 0) return
      const began = performance.now()
      const { asOf, sums, wasted } = await readAll(pool, place, signal)
      const took = Math.round(performance.now() - began)
      const answers = [...sums].map(([id, answer]) => ({
        id,
        answer: id === place.rootId ? { ...answer, wasted } : answer,
      }))
      await transaction(pool, async (tx) => {
        // Serialises two jobs for one account, and ends this one if the account is being removed.
        const found = await tx.query('select 1 from accounts where id = $1 for no key update', [accountId])
        if (found.rows.length === 0) return
        await tx.query(CLEAR, [accountId, home])
        await tx.query(STORE, [accountId, home, JSON.stringify(answers), asOf, took])
      })
      events.publish('accountsChanged', place.userId, { accountIds: [accountId] })
    },
  }
}

/** Where the entries are; null if there are none to show. */
async function findPlace(pool: Pool, accountId: string, home: Home): Promise<Place | null> {
  const { rows } = await pool.query<{ userId: string; rootFileId: string | null }>(PLACE, [accountId])
  const [row] = rows
  const rootId = home === 'POOL' ? ROOT : row?.rootFileId
  return row && rootId ? { accountId, userId: row.userId, home, rootId } : null
}

type All = { readonly asOf: Date; readonly sums: Map<string, FolderSum>; readonly wasted: Wasted }

async function readAll(pool: Pool, place: Place, signal: AbortSignal): Promise<All> {
  return transaction(pool, async (tx) => {
    await tx.query('set transaction isolation level repeatable read read only')
    const { rows } = await tx.query<{ asOf: Date }>('select now()::timestamptz(3) as "asOf"')
    const sums = await sumAll(tx, place, signal)
    return { asOf: rows[0]?.asOf ?? new Date(), sums, wasted: await findWasted(tx, place) }
  })
}
