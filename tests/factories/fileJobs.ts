import type pg from 'pg'
import type { FileJobState } from '../../server/domain/fileJobs/contract.ts'
import { newId } from '../../server/lib/ids.ts'

const ENDED: readonly FileJobState[] = ['DONE', 'FAILED', 'CANCELLED']

/** A job that copies nothing, as if it were in that state; with an item that failed. @returns its id */
export async function createFileJob(pool: pg.Pool, userId: string, state: FileJobState): Promise<string> {
  const id = newId()
  await pool.query(
    `insert into file_jobs (id, user_id, kind, state, phase, name, total_items, failed_items, ended_at)
     values ($1, $2, 'COPY', $3::"FileJobState", 'CARRY', 'Photos', 1, 1, case when $4 then now() end)`,
    [id, userId, state, ENDED.includes(state)],
  )
  await pool.query(
    `insert into file_job_items (job_id, source_id, kind, name, state, detail)
     values ($1, $2, 'FILE', 'a.jpg', 'FAILED', 'It is not there any more.')`,
    [id, newId()],
  )
  return id
}
