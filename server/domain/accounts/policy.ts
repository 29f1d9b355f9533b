import type { Prisma } from '../../db/generated/prisma/client.ts'
import type { Viewer } from '../viewer.ts'

/** The accounts that a viewer may see: their own, but for those they have disconnected. */
export const visibleTo = (viewer: Viewer) =>
  ({ userId: viewer.userId, disconnectedAt: null }) satisfies Prisma.AccountWhereInput
