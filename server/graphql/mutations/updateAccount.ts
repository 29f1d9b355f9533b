import { InvalidInputError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { found } from '../found.ts'
import { databaseIdOf } from '../ids.ts'
import { Account } from '../types/Account.ts'

builder.relayMutationField(
  'updateAccount',
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      name: t.string(),
      hue: t.int({ description: '1 to 12.' }),
    }),
  },
  {
    extensions: { scope: 'SESSION' },
    errors: { types: [InvalidInputError, NotFoundError] },
    resolve: (_root, { input }, context) =>
      context.services.accounts.update(requireViewer(context), databaseIdOf('Account', input.id), {
        name: input.name ?? undefined,
        hue: input.hue ?? undefined,
      }),
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
