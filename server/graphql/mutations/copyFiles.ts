import {
  ContentUnavailableError,
  FolderCycleError,
  InvalidInputError,
  NotFoundError,
  StorageFullError,
} from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdsOf, optionalIdOf } from '../ids.ts'
import { File } from '../types/File.ts'

builder.relayMutationField(
  'copyFiles',
  {
    description:
      'Folders with all that is in them, at most 1,000 files; a name taken in the target gets a number. Answers when all is copied, and goes on when the connection breaks. What fails on the way leaves the files that were finished.',
    inputFields: (t) => ({
      ids: t.idList({ required: true }),
      parentId: t.id(),
      groupCloudId: t.id({ description: 'Where the new files belong. Default: where their originals do.' }),
    }),
  },
  {
    errors: {
      types: [InvalidInputError, NotFoundError, FolderCycleError, StorageFullError, ContentUnavailableError],
    },
    resolve: async (_root, { input: { ids, parentId, groupCloudId } }, context) => {
      const input = {
        ids: databaseIdsOf('File', ids),
        parentId: optionalIdOf('File', parentId) ?? null,
        groupCloudId: optionalIdOf('GroupCloud', groupCloudId),
      }
      return { files: await context.services.files.copy(requireViewer(context), input) }
    },
  },
  { outputFields: (t) => ({ files: t.expose('files', { type: [File], description: 'The new ones.' }) }) },
)
