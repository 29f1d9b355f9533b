import type { Prisma } from '../../db/generated/prisma/client.ts'
import { visibleTo as accountsVisibleTo } from '../accounts/policy.ts'
import { ConflictError, NameTakenError, NotFoundError } from '../errors.ts'
import type { GroupCloudInput, GroupCloudPatch } from '../services.ts'
import type { Viewer } from '../viewer.ts'
import { visibleTo } from './policy.ts'
import type { GroupCloudRow } from './rows.ts'
import { checkedName, checkMembers, groupCloudNameKey } from './rules.ts'

type Tx = Prisma.TransactionClient

/** So that a list is one page of bounded cost. */
const MOST_GROUP_CLOUDS = 100

/** Writes to one user's group clouds happen one after the other: names, the default mark and the count stay right. */
export async function lockGroupClouds(tx: Tx, viewer: Viewer): Promise<void> {
  await tx.$queryRaw`select 1 from users where id = ${viewer.userId}::uuid for update`
}

/** @throws InvalidInputError, NotFoundError, NameTakenError, ConflictError */
export async function insertGroupCloud(tx: Tx, viewer: Viewer, id: string, input: GroupCloudInput): Promise<void> {
  const name = checkedName(input.name)
  await refuseTakenName(tx, viewer, name, null)
  await refuseTooMany(tx, viewer)
  const accountIds = input.accountIds ?? (await allAccountIds(tx, viewer))
  checkMembers(accountIds, input.copies ?? 1)
  await requireAccounts(tx, viewer, accountIds)
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

/** @throws InvalidInputError, NotFoundError, NameTakenError, ConflictError */
export async function changeGroupCloud(
  tx: Tx,
  viewer: Viewer,
  row: GroupCloudRow,
  input: GroupCloudPatch,
): Promise<void> {
  const name = input.name === undefined ? row.name : checkedName(input.name)
  if (name !== row.name) await refuseTakenName(tx, viewer, name, row.id)
  const accountIds = input.accountIds ?? row.members.map((member) => member.accountId)
  checkMembers(accountIds, input.copies ?? row.copies)
  if (input.accountIds) await replaceMembers(tx, viewer, row, accountIds)
  await moveDefault(tx, viewer, row, input.defaultUploadGroup)
  await tx.groupCloud.update({ where: { id: row.id }, data: { name, ...settingsOf(input), updatedAt: new Date() } })
}

/** @throws ConflictError for the default one and for one that still holds files or is being uploaded to */
export async function deleteGroupCloud(tx: Tx, row: GroupCloudRow): Promise<void> {
  if (row.defaultUploadGroup) {
    throw new ConflictError('This is the default group cloud. Please make another one the default first.')
  }
  // New files refer to this row: with it locked they wait, and what is counted stays true until the commit.
  await tx.$queryRaw`select 1 from group_clouds where id = ${row.id}::uuid for update`
  if (await tx.file.findFirst({ where: { groupCloudId: row.id, purgedAt: null }, select: { id: true } })) {
    throw new ConflictError('This group cloud still holds files, in Trash too. Please delete them for good first.')
  }
  if (await tx.upload.findFirst({ where: { groupCloudId: row.id, fileId: null }, select: { id: true } })) {
    throw new ConflictError('Files are being uploaded to this group cloud. Please wait until they are done.')
  }
  await tx.file.updateMany({ where: { groupCloudId: row.id }, data: { groupCloudId: null } })
  await tx.groupCloud.delete({ where: { id: row.id } })
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

async function requireAccounts(tx: Tx, viewer: Viewer, ids: readonly string[]): Promise<void> {
  const found = await tx.account.count({ where: { id: { in: [...ids] }, ...accountsVisibleTo(viewer) } })
  if (found !== ids.length) throw new NotFoundError('One of these accounts does not exist, or it is not yours.')
}

async function replaceMembers(
  tx: Tx,
  viewer: Viewer,
  row: GroupCloudRow,
  accountIds: readonly string[],
): Promise<void> {
  await requireAccounts(tx, viewer, accountIds)
  await refuseLosingPieces(tx, row, accountIds)
  const keepFree = new Map(row.members.map((member) => [member.accountId, member.keepFreeBytes]))
  await tx.groupCloudMember.deleteMany({ where: { groupCloudId: row.id } })
  await tx.groupCloudMember.createMany({
    data: accountIds.map((accountId, position) => ({
      groupCloudId: row.id,
      accountId,
      position,
      keepFreeBytes: keepFree.get(accountId) ?? 0n,
    })),
  })
}

async function refuseLosingPieces(tx: Tx, row: GroupCloudRow, accountIds: readonly string[]): Promise<void> {
  const removed = row.members.filter((member) => !accountIds.includes(member.accountId))
  for (const { account } of removed) {
    const where = { accountId: account.id, copy: { file: { groupCloudId: row.id, purgedAt: null } } }
    if (await tx.piece.findFirst({ where, select: { id: true } })) {
      throw new ConflictError(`“${account.name}” holds files of this group cloud and cannot be taken out of it.`)
    }
  }
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
