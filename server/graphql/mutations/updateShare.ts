import { InvalidInputError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf } from '../ids.ts'
import { Share } from '../types/Share.ts'

builder.relayMutationField(
  'updateShare',
  {
    description: 'What is left out stays; null takes the password, the expiry or the limit away.',
    inputFields: (t) => ({
      id: t.id({ required: true }),
      password: t.string(),
      expiresAt: t.field({ type: 'DateTime' }),
      maxDownloads: t.int(),
    }),
  },
  {
    extensions: { scope: 'SHARE' },
    errors: { types: [InvalidInputError, NotFoundError] },
    resolve: async (_root, { input: { id, password, expiresAt, maxDownloads } }, context) => {
      const patch = { password, expiresAt, maxDownloads }
      return { share: await context.services.shares.update(requireViewer(context), databaseIdOf('Share', id), patch) }
    },
  },
  { outputFields: (t) => ({ share: t.expose('share', { type: Share }) }) },
)
