import type { Pool } from 'pg'
import { retrying } from '../../db/transaction.ts'
import { ObjectMissingError } from '../../storage/errors.ts'
import type { ObjectStore } from '../../storage/objectStore.ts'
import type { UploadsHousekeeping } from '../housekeeping.ts'
import type { LiveUploads } from './liveUploads.ts'
import { deleteExpired, deleteUpload } from './rows.ts'

export type HousekeepingDeps = {
  readonly pool: Pool
  readonly store: ObjectStore
  readonly live: LiveUploads
  /** Objects of which no row knows yet. */
  readonly receiving: () => readonly string[]
  /** No other server can be on this storage: what this one is not writing, nobody is. */
  readonly alone: boolean
}

const AT_ONCE = 500
/** What another server has begun to write is in the register (db/servers.ts) long before it is idle for so long. */
const GRACE_MS = 120_000

/** What a staged object is to the database: of a file, of a live upload or of what a server in the register writes, or of nothing. */
const JUDGE = `select i.id,
    exists (select from pieces where object_ref = i.id) or exists (select from files where staged_ref = i.id) as stored,
    exists (select from uploads where id = i.id::uuid and file_id is null)
      or exists (select from servers where i.id::uuid = any(receiving)) as live
  from unnest($1::text[]) as i(id)`

type Judgement = { id: string; stored: boolean; live: boolean }

export function createHousekeeping({ pool, store, live, receiving, alone }: HousekeepingDeps): UploadsHousekeeping {
  return {
    async expire(signal) {
      for (let removed = AT_ONCE; removed === AT_ONCE && !signal.aborted; ) {
        const gone = await retrying(() => deleteExpired(pool, AT_ONCE))
        for (const { id, file_id } of gone) {
          live.forget(id)
          if (!file_id) await store.discard(id)
        }
        removed = gone.length
      }
    },

    async removeOf(userId, signal) {
      const { rows } = await pool.query<{ id: string }>('select id from uploads where user_id = $1', [userId])
      for (const { id } of rows) {
        signal.throwIfAborted()
        await live.instead({ id, userId }, async () => {
          const gone = await retrying(() => deleteUpload(pool, userId, id))
          live.forget(id)
          if (gone && !gone.file_id) await store.discard(id)
        })
      }
    },

    async sweepStaging(signal) {
      const staged = await store.listStaged(alone ? 0 : GRACE_MS)
      // Copied after the listing and before the question: what is listed is either in here, or its row is already there.
      const busy = new Set(receiving())
      const idle = staged.filter((id) => !busy.has(id))
      for (let start = 0; start < idle.length && !signal.aborted; start += AT_ONCE) {
        const { rows } = await pool.query<Judgement>(JUDGE, [idle.slice(start, start + AT_ONCE)])
        for (const row of rows) {
          if (row.stored) await store.publish(row.id).catch(unlessMissing)
          else if (!row.live) await store.discard(row.id)
        }
      }
    },
  }
}

/** Deleted for good since it was looked up. */
function unlessMissing(error: unknown): void {
  if (!(error instanceof ObjectMissingError)) throw error
}
