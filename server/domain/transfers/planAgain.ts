import { randomUUID } from 'node:crypto'
import type { PoolClient } from 'pg'
import { ConflictError } from '../errors.ts'
import { planCopies } from '../groupClouds/placement.ts'
import type { Commanded } from './commands.ts'
import { insertCopy } from './insertPlanned.ts'
import { loadPools } from './members.ts'

type FileRow = {
  readonly size: number
  readonly groupCloudId: string | null
  readonly copies: number
  readonly holding: string[]
}

const FIND = `select f.size::float8 as size, f.group_cloud_id as "groupCloudId",
    (select count(*)::int from copies c where c.file_id = f.id and c.state <> 'MISSING') as copies,
    array(select distinct p.account_id::text from copies c join pieces p on p.copy_id = c.id where c.file_id = f.id) as holding
  from files f where f.id = $1`

/**
 * A new copy for a transfer that was cancelled, on accounts that hold none of the file. The caller has locked accounts and file.
 * @throws ConflictError when the file has all its copies, or there is no room
 */
export async function planAgain(tx: PoolClient, { id, fileId }: Commanded): Promise<void> {
  const { rows } = await tx.query<FileRow>(FIND, [fileId])
  const [file] = rows
  const pools = await loadPools(tx, file?.groupCloudId ? [file.groupCloudId] : [])
  const pool = pools.get(file?.groupCloudId ?? '')
  if (!file || !pool) throw new ConflictError('This file belongs to no group cloud.')
  if (file.copies >= pool.rules.copies) throw new ConflictError('This file has all its copies.')
  const plan = planCopies(pool.members, file.size, { ...pool.rules, copies: 1, exclude: new Set(file.holding) })
  const [copy] = plan.placed ? plan.copies : []
  if (!copy) throw new ConflictError(plan.placed ? 'There is no room for it.' : plan.why)
  const copyId = randomUUID()
  await insertCopy(tx, { id: copyId, fileId, ...copy })
  await tx.query('update transfers set copy_id = $2, sent_bytes = 0, started_at = null where id = $1', [id, copyId])
}
