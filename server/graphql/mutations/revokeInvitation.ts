import { NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf } from '../ids.ts'
import { User } from '../types/User.ts'

builder.relayMutationField(
  'revokeInvitation',
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    description: 'Its link opens nothing from then on. For the administrator.',
    extensions: { scope: 'SESSION' },
    errors: { types: [NotFoundError] },
    resolve: async (_root, { input: { id } }, context) => {
      await context.services.administration.revokeInvitation(requireViewer(context), databaseIdOf('Invitation', id))
      return { revokedId: id }
    },
  },
  {
    outputFields: (t) => ({
      revokedId: t.exposeID('revokedId'),
      viewer: t.field({ type: User, resolve: (_made, _args, context) => ({ id: requireViewer(context).userId }) }),
    }),
  },
)
