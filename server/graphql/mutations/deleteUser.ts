import { InvalidInputError, TooManyRequestsError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'

builder.relayMutationField(
  'deleteUser',
  {
    inputFields: (t) => ({
      password: t.string({ required: true }),
      deleteRemote: t.boolean({
        description: 'Also removes what was stored on connected accounts. Default: it stays there.',
      }),
    }),
  },
  {
    description:
      'Deletes the viewer with everything of theirs on this server, and disconnects their accounts. It cannot be undone.',
    extensions: { scope: 'SESSION' },
    errors: { types: [InvalidInputError, TooManyRequestsError] },
    resolve: async (_root, { input: { password, deleteRemote } }, context) => {
      const input = { password, deleteRemote: deleteRemote ?? false }
      await context.services.people.deleteUser(requireViewer(context), input)
      context.signOut()
      return { ok: true }
    },
  },
  { outputFields: (t) => ({ ok: t.exposeBoolean('ok') }) },
)
