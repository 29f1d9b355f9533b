import { ConflictError, ContentUnavailableError, NotFoundError, StorageFullError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf } from '../ids.ts'
import { File } from '../types/File.ts'

builder.relayMutationField(
  'keepChangedVersion',
  {
    description:
      'Makes a file of its own, beside the old one, of the version that somebody made of a copy in its account.',
    inputFields: (t) => ({
      copyId: t.id({ required: true, description: 'A copy whose changedAt is not null.' }),
    }),
  },
  {
    errors: { types: [NotFoundError, ConflictError, StorageFullError, ContentUnavailableError] },
    resolve: async (_root, { input: { copyId } }, context) => {
      const { files } = context.services
      return { file: await files.keepVersion(requireViewer(context), databaseIdOf('Copy', copyId)) }
    },
  },
  { outputFields: (t) => ({ file: t.expose('file', { type: File, description: 'The new one.' }) }) },
)
