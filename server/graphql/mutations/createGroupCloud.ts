import { ConflictError, InvalidInputError, NameTakenError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { found } from '../found.ts'
import { databaseIdsOf } from '../ids.ts'
import { PlacementRule } from '../types/enums.ts'
import { GroupCloud } from '../types/GroupCloud.ts'
import { User } from '../types/User.ts'

builder.relayMutationField(
  'createGroupCloud',
  {
    inputFields: (t) => ({
      name: t.string({ required: true }),
      accountIds: t.idList(),
      placement: t.field({ type: PlacementRule }),
      copies: t.int(),
      spanning: t.boolean(),
      defaultUploadGroup: t.boolean(),
    }),
  },
  {
    errors: { types: [InvalidInputError, NotFoundError, NameTakenError, ConflictError] },
    resolve: (_root, { input }, context) =>
      context.services.groupClouds.create(requireViewer(context), {
        name: input.name,
        accountIds: input.accountIds ? databaseIdsOf('Account', input.accountIds) : undefined,
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
