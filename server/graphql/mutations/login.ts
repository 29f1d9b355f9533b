import { InvalidInputError, TooManyRequestsError, UnauthenticatedError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { User } from '../types/User.ts'

builder.relayMutationField(
  'login',
  {
    inputFields: (t) => ({
      email: t.string({ required: true }),
      password: t.string({ required: true }),
      rememberMe: t.boolean(),
    }),
  },
  {
    extensions: { scope: 'SESSION' },
    errors: { types: [InvalidInputError, UnauthenticatedError, TooManyRequestsError] },
    resolve: async (_root, { input: { email, password, rememberMe } }, { services, client, signIn }) => {
      const signedIn = await services.users.login({ email, password, rememberMe: rememberMe ?? false }, client)
      await signIn(signedIn)
      return signedIn
    },
  },
  { outputFields: (t) => ({ viewer: t.field({ type: User, resolve: ({ user }) => user }) }) },
)
