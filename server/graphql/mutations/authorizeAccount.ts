import { NotFoundError, ProviderUnavailableError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { optionalIdOf } from '../ids.ts'

builder.relayMutationField(
  'authorizeAccount',
  { inputFields: (t) => ({ provider: t.string({ required: true }), accountId: t.id() }) },
  {
    extensions: { scope: 'SESSION' },
    description:
      'Begins to connect an account, or to reconnect `accountId`: where a browser goes, and the state it comes back with.',
    errors: { types: [ProviderUnavailableError, NotFoundError] },
    resolve: (_root, { input }, context) =>
      context.services.accounts.authorize(
        requireViewer(context),
        input.provider,
        context.origin,
        optionalIdOf('Account', input.accountId),
      ),
  },
  {
    outputFields: (t) => ({
      state: t.exposeString('state'),
      authorizationUrl: t.exposeString('url', { description: 'With all parameters, state and challenge included.' }),
    }),
  },
)
