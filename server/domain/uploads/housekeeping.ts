import type { Pool } from 'pg'
import { retryConflicts } from '../../db/pool.ts'
import { ObjectMissingError } from '../../storage/errors.ts'
import type { ObjectStore } from '../../storage/objectStore.ts'
import type { UploadsHousekeeping } from '../housekeeping.ts'
import { deleteExpired, deleteUpload, type UploadLocks } from './openUploads.ts'
import type { DurableProgress } from './stagedBytes.ts'

type HousekeepingDeps = {
  readonly pool: Pool
  readonly store: ObjectStore
  readonly locks: UploadLocks
  readonly progress: DurableProgress
  /** Staged objects that are being written and that no row refers to yet. */
  readonly receiving: () => readonly string[]
  /** No other server can be on this storage: only this one writes to it. */
  readonly alone: boolean
}

const BATCH = 500
/**
 * An object that another server has begun to write is in the register (db/servers.ts) long before it has been idle for
 * this long.
 */
const GRACE_MS = 120_000

/** Whether a staged object belongs to a file, or to an open upload or an object that a registered server is writing. */
const CLASSIFY = `select i.id,
    exists (select from pieces where object_ref = i.id) or exists (select from files where staged_ref = i.id) as stored,
    exists (select from uploads where id = i.id::uuid and file_id is null)
      or exists (select from servers where i.id::uuid = any(receiving)) as live
  from unnest($1::text[]) as i(id)`

type StagedObject = { id: string; stored: boolean; live: boolean }

export function createHousekeeping({
  pool,
  store,
  locks,
  progress,
  receiving,
  alone,
}: HousekeepingDeps): UploadsHousekeeping {
  return {
    async expire(signal) {
      for (let removed = BATCH; removed === BATCH && !signal.aborted; ) {
        const gone = await retryConflicts(() => deleteExpired(pool, BATCH))
        for (const { id, file_id } of gone) {
          progress.forget(id)
          if (!file_id) await store.discard(id)
        }
        removed = gone.length
      }
    },

    async removeOf(userId, signal) {
      const { rows } = await pool.query<{ id: string }>('select id from uploads where user_id = $1', [userId])
      for (const { id } of rows) {
        signal.throwIfAborted()
        await locks.interruptAndLock({ id, userId }, async () => {
          const gone = await retryConflicts(() => deleteUpload(pool, userId, id))
          progress.forget(id)
          if (gone && !gone.file_id) await store.discard(id)
        })
      }
    },

    async sweepStaging(signal) {
      const staged = await store.listStaged(alone ? 0 : GRACE_MS)
      // Read after the listing and before the query: a listed object is either in here, or its row exists already.
      const busy = new Set(receiving())
      const idle = staged.filter((id) => !busy.has(id))
      for (let start = 0; start < idle.length && !signal.aborted; start += BATCH) {
        const { rows } = await pool.query<StagedObject>(CLASSIFY, [idle.slice(start, start + BATCH)])
        for (const row of rows) {
          if (row.stored) await store.publish(row.id).catch(unlessMissing)
          else if (!row.live) await store.discard(row.id)
        }
      }
    },
  }
}

/** For an object that was permanently deleted since the query. */
function unlessMissing(error: unknown): void {
  if (!(error instanceof ObjectMissingError)) throw error
}
