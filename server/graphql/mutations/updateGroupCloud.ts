import { ConflictError, InvalidInputError, NameTakenError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { found, required } from '../found.ts'
import { databaseIdOf, databaseIdsOf } from '../ids.ts'
import { PlacementRule } from '../types/enums.ts'
import { GroupCloud } from '../types/GroupCloud.ts'
import { User } from '../types/User.ts'

const KeepFree = builder.inputType('KeepFreeInput', {
  description: 'How many bytes to keep free on an account.',
  fields: (t) => ({
    accountId: t.id({ required: true }),
    keepFreeBytes: t.field({ type: 'BigInt', description: 'Bytes to keep free.' }),
    bytes: t.float({ description: 'As `keepFreeBytes`.', deprecationReason: 'Please give `keepFreeBytes`.' }),
  }),
})

function bytesByAccount(input: readonly (typeof KeepFree.$inferInput)[]): Record<string, number> {
  return Object.fromEntries(
    input.map(({ accountId, keepFreeBytes, bytes }) => [
      databaseIdOf('Account', accountId),
      required('keepFreeBytes', keepFreeBytes ?? bytes),
    ]),
  )
}

builder.relayMutationField(
  'updateGroupCloud',
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      name: t.string(),
      accountIds: t.idList({
        description: 'The members in their new order. One that holds files cannot be left out: drain it.',
      }),
      keepFreeBytes: t.field({ type: [KeepFree], description: 'Members that are not named keep theirs.' }),
      placement: t.field({ type: PlacementRule }),
      copies: t.int(),
      spanning: t.boolean(),
      defaultUploadGroup: t.boolean(),
    }),
  },
  {
    errors: { types: [InvalidInputError, NotFoundError, NameTakenError, ConflictError] },
    resolve: (_root, { input }, context) =>
      context.services.groupClouds.update(requireViewer(context), databaseIdOf('GroupCloud', input.id), {
        ...(input.name != null && { name: input.name }),
        accountIds: input.accountIds ? databaseIdsOf('Account', input.accountIds) : undefined,
        keepFreeBytes: input.keepFreeBytes ? bytesByAccount(input.keepFreeBytes) : undefined,
        placement: input.placement ?? undefined,
        copies: input.copies ?? undefined,
        spanning: input.spanning ?? undefined,
        defaultUploadGroup: input.defaultUploadGroup ?? undefined,
      }),
  },
  {
    outputFields: (t) => ({
      groupCloud: t.field({
        type: GroupCloud,
        resolve: async ({ id }, _args, context) => found(await context.load().groupCloud(id)),
      }),
      viewer: t.field({
        type: User,
        description: 'The default mark may have moved from another group cloud.',
        resolve: (_payload, _args, context) => ({ id: requireViewer(context).userId }),
      }),
    }),
  },
)
