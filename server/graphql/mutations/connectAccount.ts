import {
  AccountConnectedError,
  AuthorizationFailedError,
  InvalidInputError,
  ProviderFailedError,
  ProviderUnavailableError,
} from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { found } from '../found.ts'
import { Account } from '../types/Account.ts'
import { User } from '../types/User.ts'

builder.relayMutationField(
  'connectAccount',
  {
    inputFields: (t) => ({
      provider: t.string({ required: true }),
      code: t.string({ required: true }),
      name: t.string({ required: true }),
      state: t.string({ description: "Without it the session's newest authorization of the provider counts." }),
    }),
  },
  {
    extensions: { scope: 'SESSION' },
    errors: {
      types: [
        InvalidInputError,
        AuthorizationFailedError,
        AccountConnectedError,
        ProviderUnavailableError,
        ProviderFailedError,
      ],
    },
    resolve: (_root, { input }, context) => {
      const { provider, code, name, state } = input
      const viewer = requireViewer(context)
      return context.services.accounts.connect(
        viewer,
        provider,
        { code, name, state: state ?? undefined },
        context.origin,
      )
    },
  },
  {
    outputFields: (t) => ({
      account: t.field({
        type: Account,
        resolve: async ({ id }, _args, context) => found(await context.load().account(id)),
      }),
      viewer: t.field({ type: User, resolve: (_account, _args, context) => ({ id: requireViewer(context).userId }) }),
    }),
  },
)
