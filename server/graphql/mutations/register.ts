import { ConflictError, InvalidInputError, TooManyRequestsError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { User } from '../types/User.ts'

builder.relayMutationField(
  'register',
  {
    inputFields: (t) => ({
      fullName: t.string({ required: true }),
      email: t.string({ required: true }),
      password: t.string({ required: true }),
    }),
  },
  {
    extensions: { scope: 'SESSION' },
    errors: { types: [InvalidInputError, ConflictError, TooManyRequestsError] },
    resolve: async (_root, { input: { fullName, email, password } }, { services, client, signIn }) => {
      const signedIn = await services.users.register({ fullName, email, password }, client)
      await signIn(signedIn)
      return signedIn
    },
  },
  { outputFields: (t) => ({ viewer: t.field({ type: User, resolve: ({ user }) => user }) }) },
)
