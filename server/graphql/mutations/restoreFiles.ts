import { InvalidInputError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { changeMany, FAILURES, FileFailure } from '../changeMany.ts'
import { File } from '../types/File.ts'

builder.relayMutationField(
  'restoreFiles',
  {
    description: 'Back to the old place, or to what is left of it; numbered when the name is taken by now.',
    inputFields: (t) => ({ ids: t.idList({ required: true }) }),
  },
  {
    errors: { types: [NotFoundError, InvalidInputError] },
    resolve: (_root, { input: { ids } }, context) => changeMany(context, ids, { kind: 'RESTORE' }),
  },
  {
    outputFields: (t) => ({
      files: t.expose('files', { type: [File], description: 'Those that were changed.' }),
      failures: t.expose('failures', { type: [FileFailure], description: FAILURES }),
    }),
  },
)
