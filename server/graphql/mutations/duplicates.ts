import { ConflictError, InvalidInputError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdsOf } from '../ids.ts'
import { DuplicateComparison } from '../types/Duplicate.ts'

builder.relayMutationField(
  'compareDuplicates',
  { inputFields: (t) => ({ ids: t.idList({ required: true, description: 'Ids of LIKELY groups, at most 100.' }) }) },
  {
    description: 'Reads the files of likely groups of duplicates in the background, to find out which ones are equal.',
    errors: { types: [NotFoundError, InvalidInputError, ConflictError] },
    resolve: async (_root, { input: { ids } }, context) => {
      const viewer = requireViewer(context)
      return { comparisons: await context.services.duplicates.compare(viewer, databaseIdsOf('DuplicateGroup', ids)) }
    },
  },
  {
    outputFields: (t) => ({
      comparisons: t.field({
        type: [DuplicateComparison],
        complexity: { field: 1, multiplier: 1 },
        description: 'One for each group.',
        resolve: ({ comparisons }) => [...comparisons],
      }),
    }),
  },
)
