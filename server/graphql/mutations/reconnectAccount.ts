import {
  AuthorizationFailedError,
  ConflictError,
  InvalidInputError,
  NotFoundError,
  OtherLoginError,
  ProviderFailedError,
  ProviderUnavailableError,
} from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { found } from '../found.ts'
import { databaseIdOf } from '../ids.ts'
import { Account } from '../types/Account.ts'

builder.relayMutationField(
  'reconnectAccount',
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      code: t.string({ required: true }),
      state: t.string(),
    }),
  },
  {
    extensions: { scope: 'SESSION' },
    errors: {
      types: [
        InvalidInputError,
        NotFoundError,
        AuthorizationFailedError,
        OtherLoginError,
        ConflictError,
        ProviderUnavailableError,
        ProviderFailedError,
      ],
    },
    resolve: (_root, { input }, context) => {
      const grant = { code: input.code, state: input.state ?? undefined }
      const id = databaseIdOf('Account', input.id)
      return context.services.accounts.reconnect(requireViewer(context), id, grant, context.origin)
    },
  },
  {
    outputFields: (t) => ({
      account: t.field({
        type: Account,
        resolve: async ({ id }, _args, context) => found(await context.load().account(id)),
      }),
    }),
  },
)
