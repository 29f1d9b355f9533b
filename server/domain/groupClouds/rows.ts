import type { Prisma } from '../../db/generated/prisma/client.ts'
import { roomOf } from '../accounts/capacity.ts'
import { sumQuotas } from '../accounts/rows.ts'
import type { GroupCloud } from '../services.ts'

/** What every reading of a group cloud includes. */
export const WITH_MEMBERS = {
  members: { where: { account: { disconnectedAt: null } }, orderBy: { position: 'asc' }, include: { account: true } },
} satisfies Prisma.GroupCloudInclude

export type GroupCloudRow = Prisma.GroupCloudGetPayload<{ include: typeof WITH_MEMBERS }>

const BY_NAME = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

export function toGroupCloud({ members, ...row }: GroupCloudRow): GroupCloud {
  const { id, name, defaultUploadGroup, placement, copies, spanning, createdAt } = row
  return {
    id,
    name,
    defaultUploadGroup,
    placement,
    copies,
    spanning,
    createdAt,
    members: members.map(({ accountId, position, keepFreeBytes, draining }) => ({
      accountId,
      position,
      keepFreeBytes: Number(keepFreeBytes),
      draining,
    })),
    quota: { ...sumQuotas(members.map(({ account }) => account)), freeBytes: roomOf({ copies, members }) },
  }
}

type Listed = Pick<GroupCloud, 'defaultUploadGroup' | 'name'>

/** The default first, then as people sort names. */
export function inListOrder(a: Listed, b: Listed): number {
  return Number(b.defaultUploadGroup) - Number(a.defaultUploadGroup) || BY_NAME.compare(a.name, b.name)
}
