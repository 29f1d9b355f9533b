import { InvalidInputError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdsOf, globalIdOf } from '../ids.ts'

builder.relayMutationField(
  'deleteFiles',
  { inputFields: (t) => ({ ids: t.idList({ required: true }) }) },
  {
    errors: { types: [NotFoundError, InvalidInputError] },
    resolve: async (_root, { input }, context) => {
      const viewer = requireViewer(context)
      const ids = databaseIdsOf('File', input.ids)
      await context.services.files.remove(viewer, ids)
      return { deletedIds: ids.map((id) => globalIdOf('File', id)) }
    },
  },
  { outputFields: (t) => ({ deletedIds: t.idList({ resolve: ({ deletedIds }) => deletedIds }) }) },
)
