import { ConflictError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf } from '../ids.ts'
import { ApiKey } from '../types/ApiKey.ts'

builder.relayMutationField(
  'regenerateApiKey',
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    description: 'A new key under the same name and permissions; the old one is refused from the very next request on.',
    extensions: { scope: 'SESSION' },
    errors: { types: [NotFoundError, ConflictError] },
    resolve: async (_root, { input: { id } }, context) => ({
      apiKey: await context.services.keys.regenerate(requireViewer(context), databaseIdOf('ApiKey', id)),
    }),
  },
  { outputFields: (t) => ({ apiKey: t.expose('apiKey', { type: ApiKey }) }) },
)
