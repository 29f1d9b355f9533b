import { ConflictError, NotFoundError } from '../errors.ts'
import type { Change } from './change.ts'
import { lockLiveEntries } from './tree.ts'

/**
 * Lets a file belong to another group cloud. Its bytes stay where they are, so the accounts that hold them must be
 * members of that group cloud. @throws NotFoundError, ConflictError
 */
export async function assignGroupCloud(change: Change, id: string, groupCloudId: string): Promise<void> {
  const { tx, userId } = change
  const [entry] = await lockLiveEntries(change, [id])
  if (entry?.kind === 'FOLDER') throw new ConflictError('A folder does not belong to a group cloud; its files do.')
  const { rowCount } = await tx.query('select from group_clouds where id = $1 and user_id = $2 for share', [
    groupCloudId,
    userId,
  ])
  if (rowCount === 0) throw new NotFoundError('There is no such group cloud.')
  await refuseStrangers(change, id, groupCloudId)
  await tx.query('update files set group_cloud_id = $2 where id = $1', [id, groupCloudId])
  change.changedIds.add(id)
}

async function refuseStrangers({ tx }: Change, id: string, groupCloudId: string): Promise<void> {
  const { rows } = await tx.query<{ name: string }>(
    `select distinct a.name from copies c join pieces p on p.copy_id = c.id join accounts a on a.id = p.account_id
     where c.file_id = $1 and not exists (
       select from group_cloud_members m where m.group_cloud_id = $2 and m.account_id = p.account_id)`,
    [id, groupCloudId],
  )
  if (rows.length === 0) return
  const names = rows.map(({ name }) => `“${name}”`).join(', ')
  throw new ConflictError(
    `This file is stored on ${names}, which is not part of that group cloud. Add the account to it first.`,
  )
}
