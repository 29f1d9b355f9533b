import type { ClientBase, Pool } from 'pg'
import { formatBytes } from '../../lib/formatBytes.ts'
import { FilesWouldBeLostError } from '../errors.ts'
import { presentSql } from '../files/accountLoss.ts'
import type { LossPreview } from '../services.ts'
import type { Viewer } from '../viewer.ts'

/** A file is kept when its content is still here, or when a whole copy of it is on other accounts that can be read from now. */
const PREVIEW = {
  name: 'account-loss',
  text: `with held as materialized (
      select distinct c.file_id from pieces p join copies c on c.id = p.copy_id
      where p.account_id = $1 and p.state = 'STORED' and c.state = 'STORED'),
    judged as (
      select f.size, f.staged_ref is not null or exists (
          select from copies c where c.file_id = f.id and c.state = 'STORED' and (
            select bool_and(p.account_id <> $1 and p.state = 'STORED' and ${presentSql('a')})
            from pieces p join accounts a on a.id = p.account_id where p.copy_id = c.id)) as kept
      from held join files f on f.id = held.file_id where f.purged_at is null)
    select count(*) filter (where not kept)::int as "lostFiles", count(*) filter (where kept)::int as "keptFiles",
      coalesce(sum(size) filter (where not kept), 0)::float8 as "lostBytes"
    from judged`,
}

export async function readLoss(sql: Pool | ClientBase, accountId: string): Promise<LossPreview> {
  const { rows } = await sql.query<LossPreview>({ ...PREVIEW, values: [accountId] })
  return rows[0] ?? { lostFiles: 0, lostBytes: 0, keptFiles: 0 }
}

const AT_RISK = `select p.account_id as id, count(distinct f.id)::int as files
  from files f join copies c on c.file_id = f.id join pieces p on p.copy_id = c.id
  where f.user_id = $1 and f.state = 'AT_RISK' and f.purged_at is null and p.account_id = any($2::uuid[])
  group by p.account_id`

/** Files at risk of each account that has any. */
export async function countAtRisk(
  sql: Pool,
  { userId }: Viewer,
  accountIds: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql.query<{ id: string; files: number }>(AT_RISK, [userId, accountIds])
  return new Map(rows.map(({ id, files }) => [id, files]))
}

/** @throws FilesWouldBeLostError unless nothing would be lost */
export function refuseLoss({ lostFiles, lostBytes }: LossPreview): void {
  if (lostFiles === 0) return
  const files = lostFiles === 1 ? 'The only copy of one file is' : `The only copies of ${lostFiles} files are`
  const message = `${files} on this account (${formatBytes(lostBytes)}). Move them first, or disconnect it all the same.`
  throw new FilesWouldBeLostError(lostFiles, lostBytes, message)
}
