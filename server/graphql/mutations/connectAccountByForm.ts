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
import { FieldValue, valuesOf } from '../types/FieldValue.ts'
import { User } from '../types/User.ts'

builder.relayMutationField(
  'connectAccountByForm',
  {
    inputFields: (t) => ({
      provider: t.string({ required: true }),
      name: t.string({ required: true }),
      fields: t.field({ type: [FieldValue], required: true, description: 'What was typed into `Provider.fields`.' }),
    }),
  },
  {
    extensions: { scope: 'SESSION' },
    description:
      'Connects an account of a provider whose `connectsBy` is FORM. What is wrong with a field is said at `fields.<name>`.',
    errors: {
      types: [
        InvalidInputError,
        AuthorizationFailedError,
        AccountConnectedError,
        ProviderUnavailableError,
        ProviderFailedError,
      ],
    },
    resolve: (_root, { input: { provider, name, fields } }, context) =>
      context.services.accounts.connectByForm(requireViewer(context), provider, { name, fields: valuesOf(fields) }),
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
