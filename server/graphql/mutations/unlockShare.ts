import { NotFoundError, TooManyRequestsError, WrongPasswordError } from '../../domain/errors.ts'
import { linkGone } from '../../domain/shares/visits.ts'
import { parsePublicId } from '../../lib/ids.ts'
import { builder } from '../builder.ts'
import { PublicShare } from '../types/PublicShare.ts'

builder.relayMutationField(
  'unlockShare',
  {
    description: 'Proves the password of a public link: a cookie opens it from then on, for 12 hours.',
    inputFields: (t) => ({ id: t.id({ required: true }), password: t.string({ required: true }) }),
  },
  {
    extensions: { scope: 'SESSION' },
    errors: { types: [WrongPasswordError, NotFoundError, TooManyRequestsError] },
    resolve: async (_root, { input: { id, password } }, { services, visitor, keepProof }) => {
      const parsed = parsePublicId(id)
      if (parsed?.type !== 'Share') throw linkGone()
      keepProof(parsed.id, await services.shares.unlock(visitor(parsed.id), parsed.id, password))
      return { share: await services.shares.visit(visitor(parsed.id), parsed.id) }
    },
  },
  { outputFields: (t) => ({ share: t.expose('share', { type: PublicShare }) }) },
)
