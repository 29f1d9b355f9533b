import { ConflictError, InvalidInputError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdsOf } from '../ids.ts'
import { DuplicateComparison, DuplicateFilter, DuplicateRule, filterOf, ruleOf } from '../types/Duplicate.ts'
import { Job } from '../types/Job.ts'

builder.relayMutationField(
  'trashDuplicates',
  {
    inputFields: (t) => ({
      filter: t.field({ type: DuplicateFilter, description: 'Of which groups; only CERTAIN ones are changed.' }),
      keep: t.field({ type: DuplicateRule, required: true, description: 'Which file of each group stays.' }),
      keepIn: t.id({ description: 'The account or folder of the rule.' }),
    }),
  },
  {
    description:
      'Moves all files but one of each certain group to the trash, in the background. `undoJob` brings every one back.',
    errors: { types: [NotFoundError, InvalidInputError, ConflictError] },
    resolve: async (_root, { input: { filter, keep, keepIn } }, context) => {
      const viewer = requireViewer(context)
      const rule = ruleOf(keep, keepIn)
      const { fileJobs } = context.services
      return { job: await fileJobs.trashDuplicates(viewer, filterOf(filter), rule, context.idempotencyKey) }
    },
  },
  { outputFields: (t) => ({ job: t.expose('job', { type: Job, description: 'The job.' }) }) },
)

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
