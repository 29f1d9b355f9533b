import type { ClientBase } from 'pg'
import type { Prisma } from '../../db/generated/prisma/client.ts'
import { visibleTo as accountsVisibleTo } from '../accounts/rows.ts'
import { ConflictError, InvalidInputError, NameTakenError, NotFoundError } from '../errors.ts'
import { refreshStates } from '../files/content/states.ts'
import { type Change, type ChangeDeps, changeTree } from '../files/tree/change.ts'
import { trashEntries } from '../files/tree/trash.ts'
import { claimKey, fingerprintOf } from '../idempotency/keys.ts'
import { enqueueReconcile } from '../jobs.ts'
import type { Viewer } from '../viewer.ts'
import {
  checkedName,
  checkKeepFree,
  checkMembers,
  checkPoolUses,
  type FilesOfDeleted,
  type GroupCloudInput,
  type GroupCloudPatch,
  type GroupCloudRow,
  groupCloudNameKey,
  type MemberUse,
  visibleTo,
} from './contract.ts'

type Tx = Prisma.TransactionClient

/** Bounds the cost of a list, which has no pages. */
const MOST_GROUP_CLOUDS = 100

/** Serialises writes to one user's group clouds, so that names, the default and their number stay valid. Does not block uploads, which only refer to the user. */
export async function lockGroupClouds(tx: Tx, viewer: Viewer): Promise<void> {
  await tx.$queryRaw`select 1 from users where id = ${viewer.userId}::uuid for no key update`
}

/** Why group clouds do not use accounts of a provider, or only for extra copies: a sentence. */
export type PoolReason = (provider: string) => string | null

/** @throws InvalidInputError, NotFoundError, NameTakenError, ConflictError */
export async function insertGroupCloud(
  tx: Tx,
  viewer: Viewer,
  id: string,
  input: GroupCloudInput,
  reasonOf: PoolReason,
): Promise<void> {
  const name = checkedName(input.name)
  await refuseTakenName(tx, viewer, name, null)
  await refuseTooMany(tx, viewer)
  const accountIds = input.accountIds ?? (await allAccountIds(tx, viewer))
  checkMembers(accountIds, input.copies ?? 1)
  const allowed = allowedOf(input.allowOnlyCopy ?? [], accountIds)
  checkPoolUses(await requireAccounts(tx, viewer, accountIds), allowed, reasonOf)
  await lockAccounts(tx, accountIds)
  if (input.defaultUploadGroup) await unmarkDefault(tx, viewer)
  await tx.groupCloud.create({
    data: {
      id,
      userId: viewer.userId,
      name,
      ...settingsOf(input),
      ...(input.defaultUploadGroup && { defaultUploadGroup: true }),
      members: {
        create: accountIds.map((accountId, position) => ({
          accountId,
          position,
          allowOnlyCopy: allowed.has(accountId),
        })),
      },
    },
  })
}

/**
 * @returns whether files have to be reconciled, because their wanted copies or the available room may have changed
 * @throws InvalidInputError, NotFoundError, NameTakenError, ConflictError
 */
export async function changeGroupCloud(
  tx: Tx,
  viewer: Viewer,
  row: GroupCloudRow,
  patch: GroupCloudPatch,
  reasonOf: PoolReason,
): Promise<boolean> {
  const name = patch.name === undefined ? row.name : checkedName(patch.name)
  if (name !== row.name) await refuseTakenName(tx, viewer, name, row.id)
  const accountIds = patch.accountIds ?? row.members.map((member) => member.accountId)
  if (patch.accountIds || patch.copies !== undefined) {
    checkMembers(accountIds, patch.copies ?? row.copies, drainingOf(row))
  }
  if (patch.accountIds || patch.allowOnlyCopy) await checkUses(tx, viewer, row, { ...patch, accountIds }, reasonOf)
  if (patch.accountIds) await reorderMembers(tx, viewer, row, accountIds)
  if (patch.allowOnlyCopy) await setAllowed(tx, row.id, patch.allowOnlyCopy)
  if (patch.keepFreeBytes) await keepFree(tx, row.id, accountIds, patch.keepFreeBytes)
  await moveDefault(tx, viewer, row, patch.defaultUploadGroup)
  await tx.groupCloud.update({ where: { id: row.id }, data: { name, ...settingsOf(patch), updatedAt: new Date() } })
  return needsReconciling(row, patch)
}

/** @throws InvalidInputError, NotFoundError */
async function checkUses(
  tx: Tx,
  viewer: Viewer,
  row: GroupCloudRow,
  { accountIds, allowOnlyCopy }: { readonly accountIds: readonly string[] } & Pick<GroupCloudPatch, 'allowOnlyCopy'>,
  reasonOf: PoolReason,
): Promise<void> {
  const draining = drainingOf(row)
  const before = row.members.flatMap((member) => (member.allowOnlyCopy ? [member.accountId] : []))
  const allowed = allowOnlyCopy ? allowedOf(allowOnlyCopy, accountIds) : new Set(before)
  const accounts = await requireAccounts(tx, viewer, accountIds)
  checkPoolUses(
    accounts.filter(({ id }) => !draining.has(id)),
    allowed,
    reasonOf,
  )
}

/** @throws NotFoundError for an account that is no member */
function allowedOf(ids: readonly string[], accountIds: readonly string[]): Set<string> {
  if (ids.some((id) => !accountIds.includes(id))) throw notMember()
  return new Set(ids)
}

async function setAllowed(tx: Tx, groupCloudId: string, ids: readonly string[]): Promise<void> {
  await tx.groupCloudMember.updateMany({ where: { groupCloudId }, data: { allowOnlyCopy: false } })
  const where = { groupCloudId, accountId: { in: [...ids] } }
  await tx.groupCloudMember.updateMany({ where, data: { allowOnlyCopy: true } })
}

function needsReconciling(
  row: GroupCloudRow,
  { accountIds, copies, spanning, keepFreeBytes, allowOnlyCopy }: GroupCloudPatch,
): boolean {
  if (allowOnlyCopy !== undefined) return true
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
  const where = { ...accountsVisibleTo(viewer), poolUse: { not: 'NONE' as const } }
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

type CurrentMember = { readonly accountId: string; readonly draining: boolean }

/** @throws NotFoundError when one is not the viewer's */
async function requireAccounts(tx: Tx, viewer: Viewer, ids: readonly string[]): Promise<MemberUse[]> {
  const found = await tx.account.findMany({
    where: { id: { in: [...ids] }, ...accountsVisibleTo(viewer) },
    select: { id: true, name: true, provider: true, poolUse: true },
  })
  if (found.length !== ids.length) throw new NotFoundError('One of these accounts does not exist, or it is not yours.')
  return found
}

/** Locks accounts in the order that all transactions use, before rows that refer to them. Uploads to them wait. */
async function lockAccounts(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.$queryRaw`select 1 from accounts where id = any(${[...ids]}::uuid[]) order by id for no key update`
}

/** @throws NotFoundError, ConflictError when one that is left out holds files of the group cloud */
async function reorderMembers(
  tx: Tx,
  viewer: Viewer,
  row: GroupCloudRow,
  accountIds: readonly string[],
): Promise<void> {
  await requireAccounts(tx, viewer, accountIds)
  const before = new Set(row.members.map(({ accountId }) => accountId))
  await lockAccounts(tx, [...new Set([...before, ...accountIds])])
  await refuseLosingPieces(tx, row, accountIds)
  await tx.groupCloudMember.deleteMany({ where: { groupCloudId: row.id, accountId: { notIn: [...accountIds] } } })
  for (const [position, accountId] of accountIds.entries()) {
    const key = { groupCloudId: row.id, accountId }
    // Updated and not replaced, so that an upload that waits for the row still finds it.
    if (before.has(accountId)) {
      await tx.groupCloudMember.update({ where: { groupCloudId_accountId: key }, data: { position } })
    } else await tx.groupCloudMember.create({ data: { ...key, position } })
  }
}

async function refuseLosingPieces(tx: Tx, row: GroupCloudRow, accountIds: readonly string[]): Promise<void> {
  for (const { account } of row.members.filter((member) => !accountIds.includes(member.accountId))) {
    const where = { accountId: account.id, copy: { file: { groupCloudId: row.id, purgedAt: null } } }
    if (await tx.piece.findFirst({ where, select: { id: true } })) {
      throw new ConflictError(
        `“${account.name}” holds files of this group cloud. Please drain it first: they move to the other accounts, and then it leaves.`,
      )
    }
  }
}

/** @throws InvalidInputError, NotFoundError for an account that is no member */
async function keepFree(
  tx: Tx,
  groupCloudId: string,
  accountIds: readonly string[],
  bytesOf: Readonly<Record<string, number>>,
): Promise<void> {
  const entries = Object.entries(bytesOf)
  checkKeepFree(entries.map(([, bytes]) => bytes))
  for (const [accountId, bytes] of entries) {
    if (!accountIds.includes(accountId)) throw notMember()
    const where = { groupCloudId_accountId: { groupCloudId, accountId } }
    await tx.groupCloudMember.update({ where, data: { keepFreeBytes: BigInt(bytes) } })
  }
}

/**
 * Starts or stops draining a member. @returns whether that changed anything
 * @throws NotFoundError, ConflictError when the others are too few for the copies that are asked for
 */
export async function changeDraining(
  tx: Tx,
  row: GroupCloudRow,
  accountId: string,
  draining: boolean,
): Promise<boolean> {
  const member = row.members.find((one) => one.accountId === accountId)
  if (!member) throw notMember()
  if (member.draining === draining) return false
  if (draining) refuseTooFew(row, member)
  const where = { groupCloudId_accountId: { groupCloudId: row.id, accountId } }
  await tx.groupCloudMember.update({ where, data: { draining } })
  // Transfers of an earlier draining that the user cancelled are planned again.
  await tx.transfer.updateMany({
    where: { kind: 'DRAIN', state: 'CANCELLED', error: null, file: { groupCloudId: row.id } },
    data: { error: 'Another draining was asked for.' },
  })
  return true
}

function refuseTooFew({ members, copies }: GroupCloudRow, member: CurrentMember & { account: { name: string } }): void {
  const left = members.filter((one) => one.accountId !== member.accountId && !one.draining)
  const others = left.length
  if (left.length > 0 && !left.some((one) => one.allowOnlyCopy || one.account.poolUse === 'FULL')) {
    throw new ConflictError(
      `Without “${member.account.name}” only accounts for extra copies would be left. Please add another one first.`,
    )
  }
  if (others >= copies) return
  const { name } = member.account
  if (others === 0) {
    throw new ConflictError(
      `“${name}” is the last account of this group cloud that takes files. Please add another one first.`,
    )
  }
  throw new ConflictError(
    `Each of the ${copies} copies needs a separate account, and without “${name}” there are only ${others}. Please add another account, or ask for fewer copies, first.`,
  )
}

function notMember(): NotFoundError {
  return new NotFoundError('This account does not exist, or it is not part of this group cloud.')
}

/** @throws NotFoundError, InvalidInputError, ConflictError for the default one, one with unfinished uploads, and one with files when `files` is undefined */
export async function removeGroupCloud(
  deps: ChangeDeps,
  viewer: Viewer,
  id: string,
  files: FilesOfDeleted | undefined,
  idempotencyKey?: string,
): Promise<void> {
  const moved = await changeTree(deps, viewer, async (change) => {
    const { tx } = change
    if (await wasRemoved(change, id, files, idempotencyKey)) return false
    await lockForRemoval(tx, viewer, id)
    if (files !== undefined && files !== 'TRASH') await lockTarget(change, id, files.moveTo)
    await moveProtections(change, id, files)
    const held = await heldFiles(tx, id)
    if (held.length > 0) await giveAway(change, id, held, files)
    else if (files !== undefined && files !== 'TRASH') await moveAll(change, id, files.moveTo)
    await tx.query('update files set group_cloud_id = null where group_cloud_id = $1', [id])
    await tx.query('delete from group_clouds where id = $1', [id])
    return held.length > 0
  })
  if (!moved) return
  const everything = { fileIds: [], removedIds: [], parentIds: [], truncated: true }
  deps.events.publish('filesChanged', viewer.userId, everything)
}

/** Whether an earlier request with the same idempotency key has removed it. @throws as claimKey */
async function wasRemoved(
  { tx, userId }: Change,
  id: string,
  files: FilesOfDeleted | undefined,
  key: string | undefined,
): Promise<boolean> {
  if (key === undefined) return false
  const fingerprint = fingerprintOf([id, JSON.stringify(files ?? null)])
  const claim = { userId, key, operation: 'deleteGroupCloud', fingerprint, resultId: id }
  return (await claimKey(async (text, values) => (await tx.query(text, [...values])).rows, claim)) !== null
}

/** New files and uploads refer to the row: while it is locked they wait, so that counts stay valid until the commit. */
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

/** What protects files of accounts moves with the files. @throws ConflictError where it cannot */
async function moveProtections({ tx }: Change, id: string, files: FilesOfDeleted | undefined): Promise<void> {
  const { rows } = await tx.query<{ name: string; id: string; accountId: string; copies: number }>(
    `select p.id, f.name, p.account_id as "accountId", p.copies from protections p join files f on f.id = p.folder_id
     where p.group_cloud_id = $1 order by p.id`,
    [id],
  )
  for (const { name, ...protection } of rows) {
    if (files === undefined || files === 'TRASH') {
      throw new ConflictError(
        `This group cloud keeps the copies that protect “${name}”. Please choose another one for its files, or end that protection first.`,
      )
    }
    const { rowCount } = await tx.query(
      `update protections set group_cloud_id = $2 where id = $1 and $4 <= (
         select count(*) from group_cloud_members m join accounts a on a.id = m.account_id
         where m.group_cloud_id = $2 and not m.draining and a.disconnected_at is null and a.id <> $3)`,
      [protection.id, files.moveTo, protection.accountId, protection.copies],
    )
    if (rowCount === 0) {
      throw new ConflictError(
        `The other group cloud has too few accounts for the copies that protect “${name}”. Please choose another one, or change that protection first.`,
      )
    }
  }
}

type Held = { readonly id: string; readonly trashed: boolean }

async function heldFiles(tx: ClientBase, id: string): Promise<Held[]> {
  const { rows } = await tx.query<Held>(
    'select id, trashed_at is not null as trashed from files where group_cloud_id = $1 and purged_at is null and protected_account_id is null and not is_version order by id',
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

/** The files belong to the other group cloud at once; transfers move their bytes later. */
async function moveAll({ tx, enqueue, userId }: Change, id: string, target: string): Promise<void> {
  await tx.query('update files set group_cloud_id = $2 where group_cloud_id = $1 and purged_at is null', [id, target])
  await enqueueReconcile(tx, enqueue, { userId, groupCloudId: target })
}
