import type { Db } from '../../db/client.ts'
import { Prisma, type User as UserRow } from '../../db/generated/prisma/client.ts'
import { newId } from '../../lib/ids.ts'
import { EmailTakenError, InvalidTokenError, RegistrationClosedError } from '../errors.ts'
import type { RegistrationMode } from '../services/administration.ts'
import { emailKey } from './emails.ts'

/** Taken while there is no user: of several first ones, one is the first. */
const FIRST_USER_LOCK = 1936421494
const LOCAL_ACCOUNT_NAME = 'This server'
const DEFAULT_GROUP_CLOUD_NAME = 'My Cloud'

export type NewUser = {
  readonly fullName: string
  readonly email: string
  readonly passwordHash: string
  readonly localQuotaBytes: number | null
  readonly registration: RegistrationMode
  /** The one that lets this user in; null: none was shown. */
  readonly invitationId: string | null
}

/**
 * The user with all that makes the product work before anything is connected, in one transaction with the invitation's use.
 * @throws EmailTakenError, RegistrationClosedError, InvalidTokenError
 */
export async function createUser(db: Db, input: NewUser): Promise<UserRow> {
  try {
    return await db.$transaction(async (tx) => {
      const isFirst = await isFirstUser(tx)
      if (!isFirst) requireEntry(input)
      const role = isFirst ? 'ADMINISTRATOR' : 'MEMBER'
      const user = await tx.user.create({ data: { ...userData(input), role } })
      if (input.invitationId) await useInvitation(tx, input.invitationId, user.id)
      await createLocalCloud(tx, user.id, input.localQuotaBytes)
      return user
    })
  } catch (error) {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') throw new EmailTakenError()
    throw error
  }
}

async function isFirstUser(tx: Prisma.TransactionClient): Promise<boolean> {
  if (await hasUsers(tx)) return false
  await tx.$executeRaw`select pg_advisory_xact_lock(${FIRST_USER_LOCK}::bigint)`
  return !(await hasUsers(tx))
}

async function hasUsers(tx: Prisma.TransactionClient): Promise<boolean> {
  return (await tx.user.findFirst({ where: { deletedAt: null }, select: { id: true } })) !== null
}

/** @throws RegistrationClosedError */
function requireEntry({ registration, invitationId }: NewUser): void {
  if (registration === 'CLOSED' || (registration === 'INVITE' && !invitationId)) {
    throw new RegistrationClosedError(registration)
  }
}

/** @throws InvalidTokenError when somebody else was faster, or it was revoked meanwhile */
async function useInvitation(tx: Prisma.TransactionClient, id: string, userId: string): Promise<void> {
  const { count } = await tx.invitation.updateMany({
    where: { id, usedAt: null },
    data: { usedAt: new Date(), usedBy: userId },
  })
  if (count !== 1) throw invitationOver()
}

export function invitationOver(): InvalidTokenError {
  return new InvalidTokenError('This invitation does not work. It may have been used, revoked, or have expired.')
}

function userData({ fullName, email, passwordHash }: NewUser): Prisma.UserCreateInput {
  return {
    id: newId(),
    fullName: fullName.trim().normalize('NFC'),
    email: email.trim().normalize('NFC'),
    emailKey: emailKey(email),
    passwordHash,
  }
}

/** The `local` account and the default group cloud that holds it. */
async function createLocalCloud(
  tx: Prisma.TransactionClient,
  userId: string,
  quotaBytes: number | null,
): Promise<void> {
  const account = await tx.account.create({
    data: {
      id: newId(),
      userId,
      provider: 'local',
      name: LOCAL_ACCOUNT_NAME,
      hue: 0,
      quotaState: quotaBytes === null ? 'UNLIMITED' : 'KNOWN',
      quotaBytes: quotaBytes === null ? null : BigInt(quotaBytes),
    },
  })
  await tx.groupCloud.create({
    data: {
      id: newId(),
      userId,
      name: DEFAULT_GROUP_CLOUD_NAME,
      defaultUploadGroup: true,
      members: { create: { accountId: account.id, position: 0 } },
    },
  })
}
