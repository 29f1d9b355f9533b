import type { Prisma } from '../../db/generated/prisma/client.ts'
import type { Viewer } from '../viewer.ts'

/** The people that a viewer may see: themselves. */
export const visibleTo = (viewer: Viewer) => ({ AND: { id: viewer.userId } }) satisfies Prisma.UserWhereInput
