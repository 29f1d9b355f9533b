import type { Prisma } from '../../db/generated/prisma/client.ts'
import type { Viewer } from '../viewer.ts'

/** The accounts that a viewer may see: their own. */
export const visibleTo = (viewer: Viewer) => ({ userId: viewer.userId }) satisfies Prisma.AccountWhereInput
