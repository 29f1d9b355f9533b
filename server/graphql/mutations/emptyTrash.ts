import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'

builder.relayMutationField(
  'emptyTrash',
  { inputFields: () => ({}) },
  {
    resolve: async (_root, _args, context) => ({
      deletedCount: await context.services.files.emptyTrash(requireViewer(context)),
    }),
  },
  { outputFields: (t) => ({ deletedCount: t.exposeInt('deletedCount') }) },
)
