import { InvalidInputError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdsOf } from '../ids.ts'
import { File } from '../types/File.ts'

builder.relayMutationField(
  'trashFiles',
  { inputFields: (t) => ({ ids: t.idList({ required: true }) }) },
  {
    errors: { types: [NotFoundError, InvalidInputError] },
    resolve: async (_root, { input: { ids } }, context) => {
      const viewer = requireViewer(context)
      return { files: await context.services.files.trash(viewer, databaseIdsOf('File', ids)) }
    },
  },
  { outputFields: (t) => ({ files: t.expose('files', { type: [File] }) }) },
)
