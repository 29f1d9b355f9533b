import { FolderCycleError, InvalidInputError, NameTakenError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdsOf, optionalIdOf } from '../ids.ts'
import { OnConflict } from '../types/enums.ts'
import { File } from '../types/File.ts'

builder.relayMutationField(
  'moveFiles',
  {
    description: 'Names taken in the target are kept apart by numbering unless `onConflict` is FAIL. All or nothing.',
    inputFields: (t) => ({
      ids: t.idList({ required: true }),
      parentId: t.id(),
      onConflict: t.field({ type: OnConflict }),
    }),
  },
  {
    errors: { types: [InvalidInputError, NotFoundError, NameTakenError, FolderCycleError] },
    resolve: async (_root, { input: { ids, parentId, onConflict } }, context) => {
      const viewer = requireViewer(context)
      const target = optionalIdOf('File', parentId) ?? null
      const moved = databaseIdsOf('File', ids)
      return { files: await context.services.files.move(viewer, moved, target, onConflict ?? undefined) }
    },
  },
  { outputFields: (t) => ({ files: t.expose('files', { type: [File] }) }) },
)
