import type { Prisma } from '../../db/generated/prisma/client.ts'
import { visibleTo as accountsVisibleTo } from '../accounts/policy.ts'
import { ConflictError, NameTakenError } from '../errors.ts'
import type { GroupCloudInput, GroupCloudPatch } from '../services.ts'
import type { Viewer } from '../viewer.ts'
import { keepFree, lockAccounts, reorderMembers, requireAccounts } from './memberChanges.ts'
import { visibleTo } from './policy.ts'
import type { GroupCloudRow } from './rows.ts'
import { checkedName, checkMembers, groupCloudNameKey } from './rules.ts'

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
