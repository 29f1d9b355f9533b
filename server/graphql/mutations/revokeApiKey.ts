import { NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf } from '../ids.ts'
import { ApiKey } from '../types/ApiKey.ts'

builder.relayMutationField(
  'revokeApiKey',
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    description: 'The key is refused from the very next request on. Idempotent.',
    extensions: { scope: 'SESSION' },
    errors: { types: [NotFoundError] },
    resolve: async (_root, { input: { id } }, context) => ({
      apiKey: await context.services.keys.revoke(requireViewer(context), databaseIdOf('ApiKey', id)),
    }),
  },
  { outputFields: (t) => ({ apiKey: t.expose('apiKey', { type: ApiKey }) }) },
)
