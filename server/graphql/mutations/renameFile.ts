import { InvalidInputError, NameTakenError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf } from '../ids.ts'
import { File } from '../types/File.ts'

builder.relayMutationField(
  'renameFile',
  { inputFields: (t) => ({ id: t.id({ required: true }), name: t.string({ required: true }) }) },
  {
    errors: { types: [InvalidInputError, NotFoundError, NameTakenError] },
    resolve: async (_root, { input: { id, name } }, context) => {
      const viewer = requireViewer(context)
      return { file: await context.services.files.rename(viewer, databaseIdOf('File', id), name) }
    },
  },
  { outputFields: (t) => ({ file: t.expose('file', { type: File }) }) },
)
