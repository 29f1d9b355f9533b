import { NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf } from '../ids.ts'
import { User } from '../types/User.ts'

builder.relayMutationField(
  'endSession',
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    description: 'Signs a browser out; its very next request is refused.',
    extensions: { scope: 'SESSION' },
    errors: { types: [NotFoundError] },
    resolve: async (_root, { input: { id } }, context) => {
      const viewer = requireViewer(context)
      const sessionId = databaseIdOf('Session', id)
      await context.services.people.endSession(viewer, sessionId)
      const isOwn = sessionId === viewer.sessionId
      if (isOwn) context.signOut()
      return { endedId: id, viewer: isOwn ? null : { id: viewer.userId } }
    },
  },
  {
    outputFields: (t) => ({
      endedId: t.exposeID('endedId'),
      viewer: t.expose('viewer', {
        type: User,
        nullable: true,
        description: 'Null when it was the session that asked.',
      }),
    }),
  },
)
