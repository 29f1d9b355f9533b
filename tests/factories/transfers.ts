import type pg from 'pg'
import type { TransferState } from '../../server/domain/transfers/contract.ts'
import { newId } from '../../server/lib/ids.ts'

/** A transfer of a stored file's first copy, as if it were in that state. @returns its id */
export async function createTransfer(pool: pg.Pool, fileId: string, state: TransferState): Promise<string> {
  const id = newId()
  const { rowCount } = await pool.query(
    `insert into transfers (id, user_id, file_id, copy_id, kind, state, total_bytes, sent_bytes)
     select $1, f.user_id, f.id, (select c.id from copies c where c.file_id = f.id order by c.created_at, c.id limit 1),
       'STORE', $3::"TransferState", f.size, 0 from files f where f.id = $2`,
    [id, fileId, state],
  )
  if (rowCount === 0) throw new Error('There is no such file.')
  return id
}
