import { InvalidInputError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdsOf } from '../ids.ts'
import { File } from '../types/File.ts'

builder.relayMutationField(
  'starFiles',
  { inputFields: (t) => ({ ids: t.idList({ required: true }), starred: t.boolean({ required: true }) }) },
  {
    errors: { types: [NotFoundError, InvalidInputError] },
    resolve: async (_root, { input: { ids, starred } }, context) => {
      const viewer = requireViewer(context)
      return { files: await context.services.files.star(viewer, databaseIdsOf('File', ids), starred) }
    },
  },
  { outputFields: (t) => ({ files: t.expose('files', { type: [File] }) }) },
)
