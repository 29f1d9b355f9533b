import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { User } from '../types/User.ts'

builder.relayMutationField(
  'endOtherSessions',
  { inputFields: () => ({}) },
  {
    description: 'Signs out every browser but this one.',
    extensions: { scope: 'SESSION' },
    resolve: async (_root, _args, context) => {
      const viewer = requireViewer(context)
      return { ended: await context.services.people.endOtherSessions(viewer), viewer: { id: viewer.userId } }
    },
  },
  {
    outputFields: (t) => ({
      ended: t.exposeInt('ended', { description: 'How many that were.' }),
      viewer: t.expose('viewer', { type: User }),
    }),
  },
)
