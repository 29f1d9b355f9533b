import { InvalidInputError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { changeMany, FAILURES, FileFailure } from '../changeMany.ts'
import { File } from '../types/File.ts'

builder.relayMutationField(
  'starFiles',
  { inputFields: (t) => ({ ids: t.idList({ required: true }), starred: t.boolean({ required: true }) }) },
  {
    errors: { types: [NotFoundError, InvalidInputError] },
    resolve: (_root, { input: { ids, starred } }, context) => changeMany(context, ids, { kind: 'STAR', starred }),
  },
  {
    outputFields: (t) => ({
      files: t.expose('files', { type: [File], description: 'Those that were changed.' }),
      failures: t.expose('failures', { type: [FileFailure], description: FAILURES }),
    }),
  },
)
