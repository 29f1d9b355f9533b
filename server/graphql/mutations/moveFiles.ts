import { FolderCycleError, InvalidInputError, NameTakenError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { changeMany, FAILURES, FileFailure } from '../changeMany.ts'
import { optionalIdOf } from '../ids.ts'
import { OnConflict } from '../types/enums.ts'
import { File } from '../types/File.ts'

builder.relayMutationField(
  'moveFiles',
  {
    description:
      'Names taken in the target are kept apart by numbering unless `onConflict` is FAIL. Each entry by itself.',
    inputFields: (t) => ({
      ids: t.idList({ required: true }),
      parentId: t.id(),
      onConflict: t.field({ type: OnConflict }),
    }),
  },
  {
    errors: { types: [InvalidInputError, NotFoundError, NameTakenError, FolderCycleError] },
    resolve: (_root, { input: { ids, parentId, onConflict } }, context) => {
      const target = optionalIdOf('File', parentId) ?? null
      return changeMany(context, ids, { kind: 'MOVE', parentId: target, onConflict: onConflict ?? undefined })
    },
  },
  {
    outputFields: (t) => ({
      files: t.expose('files', { type: [File], description: 'Those that were changed.' }),
      failures: t.expose('failures', { type: [FileFailure], description: FAILURES }),
    }),
  },
)
