import { InvalidInputError, NameTakenError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { optionalIdOf } from '../ids.ts'
import { File } from '../types/File.ts'

builder.relayMutationField(
  'createFolder',
  { inputFields: (t) => ({ name: t.string({ required: true }), parentId: t.id() }) },
  {
    errors: { types: [InvalidInputError, NotFoundError, NameTakenError] },
    resolve: async (_root, { input: { name, parentId } }, context) => {
      const folder = { name, parentId: optionalIdOf('File', parentId) ?? null }
      return { file: await context.services.files.createFolder(requireViewer(context), folder) }
    },
  },
  { outputFields: (t) => ({ file: t.expose('file', { type: File }) }) },
)
