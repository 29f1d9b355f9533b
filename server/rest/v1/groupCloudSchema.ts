import { z } from 'zod'
import type { GroupCloud, GroupCloudPatch, PlacementPreview } from '../../domain/groupClouds/contract.ts'
import { publicId } from '../../lib/ids.ts'
import { databaseId } from '../request.ts'
import { Bytes, DateTime, Quota } from '../schemas.ts'

const id = z.string().max(200)
const Rule = z.enum(['MOST_FREE', 'IN_ORDER', 'ROUND_ROBIN'])

export const GroupCloudSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    defaultUploadGroup: z.boolean().describe('Where uploads go that name no group cloud. One per user.'),
    placement: Rule,
    copies: z.int(),
    spanning: z.boolean().describe('Whether a file that no single account can hold is cut over several.'),
    members: z.array(
      z.object({
        accountId: z.string(),
        position: z.int(),
        keepFreeBytes: Bytes,
        draining: z.boolean().describe('Takes no new files; what it holds moves to the other members, then it leaves.'),
      }),
    ),
    quota: Quota,
    createdAt: DateTime,
  })
  .meta({ id: 'GroupCloud' })

const settings = {
  accountIds: z.array(id).max(100).optional().describe('In order of use. Default: all accounts.'),
  placement: Rule.optional(),
  copies: z.int().min(1).max(3).optional().describe('Each copy on an account of its own.'),
  spanning: z.boolean().optional(),
  defaultUploadGroup: z.boolean().optional(),
}
export const CreateBody = z.strictObject({ name: z.string(), ...settings })
export const UpdateBody = z.strictObject({
  name: z.string().optional(),
  ...settings,
  accountIds: settings.accountIds.describe('The members in their new order. One that holds files cannot be left out.'),
  keepFreeBytes: z
    .record(id, z.int().min(0))
    .optional()
    .describe('Bytes that stay free whatever comes, by account id; others keep theirs.'),
})
export const MemberBody = z.strictObject({ draining: z.boolean() })
export const memberParams = z.object({ id, accountId: id })
export const DeleteQuery = z.strictObject({
  files: z.enum(['trash']).optional().describe('What it holds goes to Trash.'),
  moveTo: id.optional().describe('Id of the group cloud that takes what it holds.'),
})
export const PlacementQuery = z.strictObject({ size: z.coerce.number().int().min(0).describe('Bytes of the file.') })

export const PlacementSchema = z
  .object({
    placed: z.boolean().describe('false when there is no room for one copy.'),
    why: z.string().describe('In words.'),
    copies: z.array(
      z.object({ pieces: z.array(z.object({ accountId: z.string(), size: Bytes })) }).describe('Bytes by account.'),
    ),
  })
  .meta({ id: 'Placement' })

/** The body with database ids. @throws NotFoundError */
export function inputOf<Body extends GroupCloudPatch>({ accountIds, keepFreeBytes, ...body }: Body) {
  const kept = Object.entries(keepFreeBytes ?? {}).map(([key, bytes]) => [databaseId('Account', key), bytes] as const)
  return {
    ...body,
    ...(accountIds && { accountIds: accountIds.map((account) => databaseId('Account', account)) }),
    ...(keepFreeBytes && { keepFreeBytes: Object.fromEntries(kept) }),
  }
}

export function presentGroupCloud(groupCloud: GroupCloud): z.infer<typeof GroupCloudSchema> {
  return {
    ...groupCloud,
    id: publicId('GroupCloud', groupCloud.id),
    members: groupCloud.members.map((member) => ({ ...member, accountId: publicId('Account', member.accountId) })),
    createdAt: groupCloud.createdAt.toISOString(),
  }
}

export function presentPlacement({ placed, why, copies }: PlacementPreview): z.infer<typeof PlacementSchema> {
  return {
    placed,
    why,
    copies: copies.map(({ pieces }) => ({
      pieces: pieces.map(({ accountId, size }) => ({ accountId: publicId('Account', accountId), size })),
    })),
  }
}
