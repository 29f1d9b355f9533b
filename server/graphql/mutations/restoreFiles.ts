import { InvalidInputError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdsOf } from '../ids.ts'
import { File } from '../types/File.ts'

builder.relayMutationField(
  'restoreFiles',
  {
    description: 'Back to the old place, or to what is left of it; numbered when the name is taken by now.',
    inputFields: (t) => ({ ids: t.idList({ required: true }) }),
  },
  {
    errors: { types: [NotFoundError, InvalidInputError] },
    resolve: async (_root, { input: { ids } }, context) => {
      const viewer = requireViewer(context)
      return { files: await context.services.files.restore(viewer, databaseIdsOf('File', ids)) }
    },
  },
  { outputFields: (t) => ({ files: t.expose('files', { type: [File] }) }) },
)
