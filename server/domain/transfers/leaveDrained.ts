import type { PoolClient } from 'pg'
import type { SettleScope } from './settle.ts'

const LEAVE = `delete from group_cloud_members m using group_clouds g
  where g.id = m.group_cloud_id and g.user_id = $1 and m.draining
    and ($2::uuid is null or m.group_cloud_id = $2) and ($3::uuid is null or m.account_id = $3)
    and not exists (
      select from files f join copies c on c.file_id = f.id join pieces p on p.copy_id = c.id
      where f.group_cloud_id = m.group_cloud_id and p.account_id = m.account_id and f.purged_at is null)
  returning m.account_id`

/** Members that were to be emptied and are empty leave their group clouds. @returns their accounts */
export async function leaveDrained(
  tx: PoolClient,
  {
    userId,
    groupCloudId = null,
    accountId = null,
  }: { [Key in keyof SettleScope]: SettleScope[Key] | null } & { userId: string },
): Promise<string[]> {
  const { rows } = await tx.query<{ account_id: string }>(LEAVE, [userId, groupCloudId, accountId])
  return rows.map((row) => row.account_id)
}
