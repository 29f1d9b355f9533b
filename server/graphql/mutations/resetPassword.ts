import { InvalidInputError, InvalidTokenError, TooManyRequestsError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'

builder.relayMutationField(
  'resetPassword',
  { inputFields: (t) => ({ token: t.string({ required: true }), password: t.string({ required: true }) }) },
  {
    description: 'Sets the password by the token of a mail, once, and ends all sessions. It does not sign in.',
    extensions: { scope: 'SESSION' },
    errors: { types: [InvalidInputError, InvalidTokenError, TooManyRequestsError] },
    resolve: async (_root, { input: { token, password } }, { services, client, keepDevice }) => {
      const { userId, device } = await services.recovery.reset({ token, password }, client)
      keepDevice(userId, device)
      return { ok: true }
    },
  },
  { outputFields: (t) => ({ ok: t.exposeBoolean('ok') }) },
)
