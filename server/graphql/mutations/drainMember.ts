import { ConflictError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { found } from '../found.ts'
import { databaseIdOf } from '../ids.ts'
import { GroupCloud } from '../types/GroupCloud.ts'

builder.relayMutationField(
  'drainMember',
  {
    description: 'Empties a member into the others, after which it leaves; `draining: false` stops that.',
    inputFields: (t) => ({
      id: t.id({ required: true }),
      accountId: t.id({ required: true }),
      draining: t.boolean({ required: true }),
    }),
  },
  {
    errors: { types: [NotFoundError, ConflictError] },
    resolve: (_root, { input: { id, accountId, draining } }, context) =>
      context.services.groupClouds.drain(
        requireViewer(context),
        databaseIdOf('GroupCloud', id),
        databaseIdOf('Account', accountId),
        draining,
      ),
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
