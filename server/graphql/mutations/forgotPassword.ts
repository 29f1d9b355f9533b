import { InvalidInputError, TooManyRequestsError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'

builder.relayMutationField(
  'forgotPassword',
  { inputFields: (t) => ({ email: t.string({ required: true }) }) },
  {
    description: 'Mails a link to choose a new password. The answer does not tell whether there is such an account.',
    extensions: { scope: 'SESSION' },
    errors: { types: [InvalidInputError, TooManyRequestsError] },
    resolve: async (_root, { input: { email } }, { services, client }) => {
      await services.recovery.forgot(email, client)
      return { ok: true }
    },
  },
  { outputFields: (t) => ({ ok: t.exposeBoolean('ok') }) },
)
