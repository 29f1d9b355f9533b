import { ConflictError, InvalidInputError, NameTakenError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { found } from '../found.ts'
import { databaseIdOf } from '../ids.ts'
import { PlacementRule } from '../types/enums.ts'
import { GroupCloud } from '../types/GroupCloud.ts'

builder.relayMutationField(
  'updateGroupCloud',
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      name: t.string(),
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
    }),
  },
)
