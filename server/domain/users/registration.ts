import type { Db } from '../../db/client.ts'
import { Prisma, type User as UserRow } from '../../db/generated/prisma/client.ts'
import { newId } from '../../lib/ids.ts'
import { EmailTakenError } from '../errors.ts'
import { emailKey } from './emails.ts'

const LOCAL_ACCOUNT_NAME = 'This server'
const DEFAULT_GROUP_CLOUD_NAME = 'My Cloud'

export type NewUser = {
  readonly fullName: string
  readonly email: string
  readonly passwordHash: string
  readonly localQuotaBytes: number | null
}

/** The user with all that makes the product work before anything is connected, in one transaction. @throws EmailTakenError */
export async function createUser(db: Db, input: NewUser): Promise<UserRow> {
  try {
    return await db.$transaction(async (tx) => {
      const user = await tx.user.create({ data: userData(input) })
      await createLocalCloud(tx, user.id, input.localQuotaBytes)
      return user
    })
  } catch (error) {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') throw new EmailTakenError()
    throw error
  }
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
