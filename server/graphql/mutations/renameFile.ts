import { InvalidInputError, NameTakenError, NotFoundError, PreconditionFailedError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf } from '../ids.ts'
import { File } from '../types/File.ts'

builder.relayMutationField(
  'renameFile',
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      name: t.string({ required: true }),
      ifMatch: t.string({ description: '`File.etag`: only when nobody has changed it since.' }),
    }),
  },
  {
    errors: { types: [InvalidInputError, NotFoundError, NameTakenError, PreconditionFailedError] },
    resolve: async (_root, { input: { id, name, ifMatch } }, context) => {
      const viewer = requireViewer(context)
      const expected = ifMatch == null ? undefined : [ifMatch]
      return { file: await context.services.files.rename(viewer, databaseIdOf('File', id), name, expected) }
    },
  },
  { outputFields: (t) => ({ file: t.expose('file', { type: File }) }) },
)
