import { NotFoundError, TooManyRequestsError } from '../../domain/errors.ts'
import { linkGone } from '../../domain/shares/visits.ts'
import { parsePublicId } from '../../lib/ids.ts'
import { builder } from '../builder.ts'
import { ReportReason } from '../types/enums.ts'

builder.relayMutationField(
  'reportShare',
  {
    description: 'Tells the owner of a public link, in the activity log and by mail, that a visitor objects to it.',
    inputFields: (t) => ({
      id: t.id({ required: true }),
      reason: t.field({ type: ReportReason, required: true }),
    }),
  },
  {
    extensions: { scope: 'SESSION' },
    errors: { types: [NotFoundError, TooManyRequestsError] },
    resolve: async (_root, { input: { id, reason } }, { services, visitor }) => {
      const parsed = parsePublicId(id)
      if (parsed?.type !== 'Share') throw linkGone()
      await services.shares.report(visitor(parsed.id), parsed.id, reason)
      return { reportedId: id }
    },
  },
  { outputFields: (t) => ({ reportedId: t.exposeID('reportedId') }) },
)
