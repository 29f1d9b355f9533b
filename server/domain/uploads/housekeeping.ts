import type { Pool } from 'pg'
import { retrying } from '../../db/transaction.ts'
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
}

const AT_ONCE = 500

/** What a staged object is to the database: of a file, of a live upload, or of nothing. */
const JUDGE = `select i.id,
    exists (select from pieces where object_ref = i.id) or exists (select from files where staged_ref = i.id) as stored,
    exists (select from uploads where id = i.id::uuid and file_id is null) as live
  from unnest($1::text[]) as i(id)`

type Judgement = { id: string; stored: boolean; live: boolean }

export function createHousekeeping({ pool, store, live, receiving }: HousekeepingDeps): UploadsHousekeeping {
  return {
    async expire(signal) {
      for (let removed = AT_ONCE; removed === AT_ONCE && !signal.aborted; ) {
        const gone = await retrying(() => deleteExpired(pool, live.busy(), AT_ONCE))
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
        await live.interrupt(id)
        const gone = await retrying(() => deleteUpload(pool, userId, id))
        live.forget(id)
        if (gone && !gone.file_id) await store.discard(id)
      }
    },

    async sweepStaging(signal) {
      const staged = await store.listStaged()
      // Copied after the listing and before the question: what is listed is either in here, or its row is already there.
      const busy = new Set([...receiving(), ...live.busy()])
      const idle = staged.filter((id) => !busy.has(id))
      for (let start = 0; start < idle.length && !signal.aborted; start += AT_ONCE) {
        const { rows } = await pool.query<Judgement>(JUDGE, [idle.slice(start, start + AT_ONCE)])
        for (const row of rows) {
          if (row.stored) await store.publish(row.id)
          else if (!row.live) await store.discard(row.id)
        }
      }
    },
  }
}
