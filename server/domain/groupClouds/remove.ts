import type { ClientBase } from 'pg'
import { ConflictError, InvalidInputError, NotFoundError } from '../errors.ts'
import { type Change, type ChangeDeps, changeTree } from '../files/change.ts'
import { refreshStates } from '../files/states.ts'
import { trashEntries } from '../files/trash.ts'
import type { FilesOfDeleted } from '../services.ts'
import { enqueueSettle } from '../transfers/settle.ts'
import type { Viewer } from '../viewer.ts'

/** @throws NotFoundError, InvalidInputError, ConflictError for the default one, one that is uploaded to, and one with files whose place is not said */
export async function removeGroupCloud(
  deps: ChangeDeps,
  viewer: Viewer,
  id: string,
  files: FilesOfDeleted | undefined,
): Promise<void> {
  const moved = await changeTree(deps, viewer, async (change) => {
    const { tx } = change
    await lockForRemoval(tx, viewer, id)
    if (files !== undefined && files !== 'TRASH') await lockTarget(change, id, files.moveTo)
    const held = await heldFiles(tx, id)
    if (held.length > 0) await giveAway(change, id, held, files)
    await tx.query('update files set group_cloud_id = null where group_cloud_id = $1', [id])
    await tx.query('delete from group_clouds where id = $1', [id])
    return held.length > 0
  })
  if (!moved) return
  const everything = { fileIds: [], removedIds: [], parentIds: [], truncated: true }
  deps.events.publish('filesChanged', viewer.userId, everything)
}

/** New files and uploads refer to the row: with it locked they wait, and what is counted stays true until the commit. */
async function lockForRemoval(tx: ClientBase, { userId }: Viewer, id: string): Promise<void> {
  await tx.query('select from users where id = $1 for no key update', [userId])
  const { rows } = await tx.query<{ is_default: boolean }>(
    'select default_upload_group as is_default from group_clouds where id = $1 and user_id = $2 for update',
    [id, userId],
  )
  if (!rows[0]) throw new NotFoundError()
  if (rows[0].is_default) {
    throw new ConflictError('This is the default group cloud. Please make another one the default first.')
  }
  const uploads = await tx.query('select from uploads where group_cloud_id = $1 and file_id is null limit 1', [id])
  if (uploads.rowCount === 0) return
  throw new ConflictError(
    'Files are being uploaded to this group cloud. Please wait until they are done, or cancel them.',
  )
}

type Held = { readonly id: string; readonly trashed: boolean }

async function heldFiles(tx: ClientBase, id: string): Promise<Held[]> {
  const { rows } = await tx.query<Held>(
    'select id, trashed_at is not null as trashed from files where group_cloud_id = $1 and purged_at is null order by id',
    [id],
  )
  return rows
}

async function giveAway(
  change: Change,
  id: string,
  held: readonly Held[],
  files: FilesOfDeleted | undefined,
): Promise<void> {
  if (files === undefined) {
    throw new ConflictError(
      'This group cloud still holds files, in Trash too. Please move them to another one, or to Trash, with it.',
    )
  }
  if (files !== 'TRASH') return moveAll(change, id, files.moveTo)
  const live = held.filter(({ trashed }) => !trashed)
  await trashEntries(
    change,
    live.map((file) => file.id),
  )
  await change.tx.query('update files set group_cloud_id = null where group_cloud_id = $1', [id])
  // Without a group cloud one copy is enough.
  await refreshStates(change.tx, { fileIds: held.map((file) => file.id) })
}

async function lockTarget({ tx, userId }: Change, id: string, target: string): Promise<void> {
  if (target === id) {
    const message = 'Its files cannot move to the group cloud that is deleted. Please choose another one.'
    throw new InvalidInputError([{ path: 'moveTo', message }])
  }
  const { rowCount } = await tx.query('select from group_clouds where id = $1 and user_id = $2 for key share', [
    target,
    userId,
  ])
  if (rowCount === 0)
    throw new NotFoundError('The group cloud to move the files to does not exist, or it is not yours.')
}

/** They belong to the other one at once; their bytes follow by transfers. */
async function moveAll({ tx, enqueue, userId }: Change, id: string, target: string): Promise<void> {
  await tx.query('update files set group_cloud_id = $2 where group_cloud_id = $1 and purged_at is null', [id, target])
  await enqueueSettle(tx, enqueue, { userId, groupCloudId: target })
}
