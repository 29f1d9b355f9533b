import { InvalidInputError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { changeMany, FAILURES, FileFailure } from '../changeMany.ts'

builder.relayMutationField(
  'deleteFiles',
  { inputFields: (t) => ({ ids: t.idList({ required: true }) }) },
  {
    errors: { types: [NotFoundError, InvalidInputError] },
    resolve: (_root, { input: { ids } }, context) => changeMany(context, ids, { kind: 'REMOVE' }),
  },
  {
    outputFields: (t) => ({
      deletedIds: t.idList({ description: 'Those that are gone.', resolve: ({ doneIds }) => doneIds }),
      failures: t.expose('failures', { type: [FileFailure], description: FAILURES }),
    }),
  },
)
