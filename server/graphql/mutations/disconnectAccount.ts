import { ConflictError, FilesWouldBeLostError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf, globalIdOf } from '../ids.ts'
import { User } from '../types/User.ts'

builder.relayMutationField(
  'disconnectAccount',
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      force: t.boolean({ description: 'Although files would be lost until the account is connected again.' }),
    }),
  },
  {
    extensions: { scope: 'SESSION' },
    errors: { types: [NotFoundError, FilesWouldBeLostError, ConflictError] },
    resolve: async (_root, { input }, context) => {
      const id = databaseIdOf('Account', input.id)
      await context.services.accounts.disconnect(requireViewer(context), id, input.force ?? false)
      return { disconnectedId: globalIdOf('Account', id) }
    },
  },
  {
    outputFields: (t) => ({
      disconnectedId: t.exposeID('disconnectedId'),
      viewer: t.field({ type: User, resolve: (_gone, _args, context) => ({ id: requireViewer(context).userId }) }),
    }),
  },
)
