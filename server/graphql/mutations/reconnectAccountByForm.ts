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
import { FieldValue, valuesOf } from '../types/FieldValue.ts'

builder.relayMutationField(
  'reconnectAccountByForm',
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      fields: t.field({ type: [FieldValue], required: true, description: 'What was typed into `Provider.fields`.' }),
    }),
  },
  {
    extensions: { scope: 'SESSION' },
    description: 'Connects an account again, by the same login. What is wrong with a field is said at `fields.<name>`.',
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
      const id = databaseIdOf('Account', input.id)
      return context.services.accounts.reconnectByForm(requireViewer(context), id, valuesOf(input.fields))
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
