import { ConflictError, InvalidInputError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf } from '../ids.ts'
import { ApiKey, ApiKeyScope } from '../types/ApiKey.ts'
import { User } from '../types/User.ts'

builder.relayMutationField(
  'createApiKey',
  {
    inputFields: (t) => ({
      name: t.string({ required: true, description: '1 to 100 characters.' }),
      scopes: t.field({ type: [ApiKeyScope], description: 'Default: all. WRITE and SHARE include READ.' }),
      expiresAt: t.field({ type: 'DateTime', description: 'Default: never.' }),
    }),
  },
  {
    extensions: { scope: 'SESSION' },
    errors: { types: [InvalidInputError, ConflictError] },
    resolve: async (_root, { input: { name, scopes, expiresAt } }, context) => {
      const input = { name, scopes: scopes ?? undefined, expiresAt }
      return { apiKey: await context.services.keys.create(requireViewer(context), input, context.idempotencyKey) }
    },
  },
  {
    outputFields: (t) => ({
      apiKey: t.expose('apiKey', { type: ApiKey }),
      viewer: t.field({ type: User, resolve: (_made, _args, context) => ({ id: requireViewer(context).userId }) }),
    }),
  },
)

builder.relayMutationField(
  'regenerateApiKey',
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    description: 'Creates a new key with the same name and permissions; the old one stops working immediately.',
    extensions: { scope: 'SESSION' },
    errors: { types: [NotFoundError, ConflictError] },
    resolve: async (_root, { input: { id } }, context) => ({
      apiKey: await context.services.keys.regenerate(requireViewer(context), databaseIdOf('ApiKey', id)),
    }),
  },
  { outputFields: (t) => ({ apiKey: t.expose('apiKey', { type: ApiKey }) }) },
)

builder.relayMutationField(
  'revokeApiKey',
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    description: 'The key stops working immediately. Idempotent.',
    extensions: { scope: 'SESSION' },
    errors: { types: [NotFoundError] },
    resolve: async (_root, { input: { id } }, context) => ({
      apiKey: await context.services.keys.revoke(requireViewer(context), databaseIdOf('ApiKey', id)),
    }),
  },
  { outputFields: (t) => ({ apiKey: t.expose('apiKey', { type: ApiKey }) }) },
)
