import { ConflictError, InvalidInputError, TooManyRequestsError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { User } from '../types/User.ts'

builder.relayMutationField(
  'changePassword',
  {
    inputFields: (t) => ({
      currentPassword: t.string({ required: true }),
      newPassword: t.string({ required: true, description: '8 to 1,000 characters of any script.' }),
    }),
  },
  {
    description: 'Signs out every other browser; this one gets a new cookie.',
    extensions: { scope: 'SESSION' },
    errors: { types: [InvalidInputError, TooManyRequestsError, ConflictError] },
    resolve: async (_root, { input: { currentPassword, newPassword } }, context) => {
      const viewer = requireViewer(context)
      const signedIn = await context.services.people.changePassword(viewer, { currentPassword, newPassword })
      await context.signIn(signedIn)
      return { viewer: { id: viewer.userId } }
    },
  },
  { outputFields: (t) => ({ viewer: t.expose('viewer', { type: User }) }) },
)
