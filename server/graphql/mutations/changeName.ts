import { InvalidInputError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { User } from '../types/User.ts'

builder.relayMutationField(
  'changeName',
  { inputFields: (t) => ({ fullName: t.string({ required: true, description: '1 to 200 characters.' }) }) },
  {
    extensions: { scope: 'SESSION' },
    errors: { types: [InvalidInputError] },
    resolve: async (_root, { input: { fullName } }, context) => {
      const viewer = requireViewer(context)
      await context.services.people.changeName(viewer, fullName)
      return { viewer: { id: viewer.userId } }
    },
  },
  { outputFields: (t) => ({ viewer: t.expose('viewer', { type: User }) }) },
)
