import type { ClientBase } from 'pg'
import type { Prisma } from '../../db/generated/prisma/client.ts'
import { visibleTo as accountsVisibleTo } from '../accounts/rows.ts'
import { ConflictError, InvalidInputError, NameTakenError, NotFoundError } from '../errors.ts'
import { refreshStates } from '../files/content/states.ts'
import { type Change, type ChangeDeps, changeTree } from '../files/tree/change.ts'
import { trashEntries } from '../files/tree/trash.ts'
import { enqueueSettle } from '../jobs.ts'
import type { Viewer } from '../viewer.ts'
import type { FilesOfDeleted, GroupCloudInput, GroupCloudPatch } from './contract.ts'
import { keepFree, lockAccounts, reorderMembers, requireAccounts } from './members.ts'
import { checkedName, checkMembers, type GroupCloudRow, groupCloudNameKey, visibleTo } from './rows.ts'

type Tx = Prisma.TransactionClient

/** So that a list is one page of bounded cost. */
const MOST_GROUP_CLOUDS = 100

/** Writes to one user's group clouds happen one after the other: names, the default mark and the count stay right. Uploads, which refer to the user, go on. */
export async function lockGroupClouds(tx: Tx, viewer: Viewer): Promise<void> {
  await tx.$queryRaw`select 1 from users where id = ${viewer.userId}::uuid for no key update`
}

/** @throws InvalidInputError, NotFoundError, NameTakenError, ConflictError */
export async function insertGroupCloud(tx: Tx, viewer: Viewer, id: string, input: GroupCloudInput): Promise<void> {
  const name = checkedName(input.name)
  await refuseTakenName(tx, viewer, name, null)
  await refuseTooMany(tx, viewer)
  const accountIds = input.accountIds ?? (await allAccountIds(tx, viewer))
  checkMembers(accountIds, input.copies ?? 1)
  await requireAccounts(tx, viewer, accountIds)
  await lockAccounts(tx, accountIds)
  if (input.defaultUploadGroup) await unmarkDefault(tx, viewer)
  await tx.groupCloud.create({
    data: {
      id,
      userId: viewer.userId,
      name,
      ...settingsOf(input),
      ...(input.defaultUploadGroup && { defaultUploadGroup: true }),
      members: { create: accountIds.map((accountId, position) => ({ accountId, position })) },
    },
  })
}

/**
 * @returns whether files have to be settled: their copies, or where there is room for them, may be others now
 * @throws InvalidInputError, NotFoundError, NameTakenError, ConflictError
 */
export async function changeGroupCloud(
  tx: Tx,
  viewer: Viewer,
  row: GroupCloudRow,
  patch: GroupCloudPatch,
): Promise<boolean> {
  const name = patch.name === undefined ? row.name : checkedName(patch.name)
  if (name !== row.name) await refuseTakenName(tx, viewer, name, row.id)
  const accountIds = patch.accountIds ?? row.members.map((member) => member.accountId)
  if (patch.accountIds || patch.copies !== undefined) {
    checkMembers(accountIds, patch.copies ?? row.copies, drainingOf(row))
  }
  if (patch.accountIds) await reorderMembers(tx, viewer, row, accountIds)
  if (patch.keepFreeBytes) await keepFree(tx, row.id, accountIds, patch.keepFreeBytes)
  await moveDefault(tx, viewer, row, patch.defaultUploadGroup)
  await tx.groupCloud.update({ where: { id: row.id }, data: { name, ...settingsOf(patch), updatedAt: new Date() } })
  return needsSettling(row, patch)
}

function needsSettling(row: GroupCloudRow, { accountIds, copies, spanning, keepFreeBytes }: GroupCloudPatch): boolean {
  if (keepFreeBytes !== undefined && Object.keys(keepFreeBytes).length > 0) return true
  if (copies !== undefined && copies !== row.copies) return true
  if (spanning !== undefined && spanning !== row.spanning) return true
  const before = new Set(row.members.map((member) => member.accountId))
  return accountIds !== undefined && (accountIds.length !== before.size || accountIds.some((id) => !before.has(id)))
}

function drainingOf({ members }: GroupCloudRow): Set<string> {
  return new Set(members.flatMap(({ accountId, draining }) => (draining ? [accountId] : [])))
}

function settingsOf({ placement, copies, spanning }: GroupCloudPatch) {
  return { ...(placement && { placement }), ...(copies && { copies }), ...(spanning !== undefined && { spanning }) }
}

async function refuseTakenName(tx: Tx, viewer: Viewer, name: string, ownId: string | null): Promise<void> {
  const others = await tx.groupCloud.findMany({ where: visibleTo(viewer), select: { id: true, name: true } })
  const key = groupCloudNameKey(name)
  const taken = others.find((other) => other.id !== ownId && groupCloudNameKey(other.name) === key)
  if (taken) throw new NameTakenError(taken.name)
}

async function refuseTooMany(tx: Tx, viewer: Viewer): Promise<void> {
  if ((await tx.groupCloud.count({ where: visibleTo(viewer) })) < MOST_GROUP_CLOUDS) return
  throw new ConflictError(`You can have at most ${MOST_GROUP_CLOUDS} group clouds.`)
}

async function allAccountIds(tx: Tx, viewer: Viewer): Promise<string[]> {
  const where = accountsVisibleTo(viewer)
  return (await tx.account.findMany({ where, orderBy: { createdAt: 'asc' }, select: { id: true } })).map(({ id }) => id)
}

async function moveDefault(tx: Tx, viewer: Viewer, row: GroupCloudRow, wanted: boolean | undefined): Promise<void> {
  if (wanted === undefined || wanted === row.defaultUploadGroup) return
  if (!wanted)
    throw new ConflictError('One group cloud has to be the default. Please make another one the default instead.')
  await unmarkDefault(tx, viewer)
  await tx.groupCloud.update({ where: { id: row.id }, data: { defaultUploadGroup: true } })
}

async function unmarkDefault(tx: Tx, viewer: Viewer): Promise<void> {
  const where = { ...visibleTo(viewer), defaultUploadGroup: true }
  await tx.groupCloud.updateMany({ where, data: { defaultUploadGroup: false } })
}

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
