import type { Prisma } from '../../db/generated/prisma/client.ts'
import { visibleTo as accountsVisibleTo } from '../accounts/policy.ts'
import { ConflictError, NotFoundError } from '../errors.ts'
import type { Viewer } from '../viewer.ts'
import type { GroupCloudRow } from './rows.ts'
import { checkKeepFree } from './rules.ts'

type Tx = Prisma.TransactionClient
type Member = { readonly accountId: string; readonly draining: boolean }

/** @throws NotFoundError when one is not the viewer's */
export async function requireAccounts(tx: Tx, viewer: Viewer, ids: readonly string[]): Promise<void> {
  const found = await tx.account.count({ where: { id: { in: [...ids] }, ...accountsVisibleTo(viewer) } })
  if (found !== ids.length) throw new NotFoundError('One of these accounts does not exist, or it is not yours.')
}

/** In the order in which everybody locks them, and before any row that refers to them: uploads that use them wait. */
export async function lockAccounts(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.$queryRaw`select 1 from accounts where id = any(${[...ids]}::uuid[]) order by id for no key update`
}

/** @throws NotFoundError, ConflictError when one that is left out holds files of the group cloud */
export async function reorderMembers(
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
    // Rows are changed in their place: an upload that waits for one finds it again.
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
export async function keepFree(
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
 * Begins or stops to empty a member. @returns whether that changed anything
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
  // What was given up of an earlier draining is asked for again.
  await tx.transfer.updateMany({
    where: { kind: 'DRAIN', state: 'CANCELLED', error: null, file: { groupCloudId: row.id } },
    data: { error: 'Another draining was asked for.' },
  })
  return true
}

function refuseTooFew({ members, copies }: GroupCloudRow, member: Member & { account: { name: string } }): void {
  const others = members.filter((one) => one.accountId !== member.accountId && !one.draining).length
  if (others >= copies) return
  const { name } = member.account
  if (others === 0) {
    throw new ConflictError(
      `“${name}” is the last account of this group cloud that takes files. Please add another one first.`,
    )
  }
  throw new ConflictError(
    `Each of the ${copies} copies needs an account of its own, and without “${name}” there are only ${others}. Please add another account, or ask for fewer copies, first.`,
  )
}

function notMember(): NotFoundError {
  return new NotFoundError('This account does not exist, or it is not part of this group cloud.')
}
