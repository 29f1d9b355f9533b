import type { Prisma } from '../../db/generated/prisma/client.ts'
import type { Viewer } from '../viewer.ts'

/** The entries that a viewer may see: their own, in the trash too, until they are deleted for good. */
export const visibleTo = (viewer: Viewer) => ({ userId: viewer.userId, purgedAt: null }) satisfies Prisma.FileWhereInput
