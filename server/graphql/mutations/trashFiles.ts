import { InvalidInputError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { changeMany, FAILURES, FileFailure } from '../changeMany.ts'
import { File } from '../types/File.ts'

builder.relayMutationField(
  'trashFiles',
  { inputFields: (t) => ({ ids: t.idList({ required: true }) }) },
  {
    errors: { types: [NotFoundError, InvalidInputError] },
    resolve: (_root, { input: { ids } }, context) => changeMany(context, ids, { kind: 'TRASH' }),
  },
  {
    outputFields: (t) => ({
      files: t.expose('files', { type: [File], description: 'Those that were changed.' }),
      failures: t.expose('failures', { type: [FileFailure], description: FAILURES }),
    }),
  },
)
