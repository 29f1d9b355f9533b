import {
  ConflictError,
  InvalidInputError,
  InvalidTokenError,
  RegistrationClosedError,
  TooManyRequestsError,
} from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { User } from '../types/User.ts'

builder.relayMutationField(
  'register',
  {
    inputFields: (t) => ({
      fullName: t.string({ required: true }),
      email: t.string({ required: true }),
      password: t.string({ required: true }),
      invitation: t.string({ description: 'From the link of an invitation; used up by this.' }),
    }),
  },
  {
    extensions: { scope: 'SESSION' },
    errors: {
      types: [InvalidInputError, ConflictError, TooManyRequestsError, RegistrationClosedError, InvalidTokenError],
    },
    resolve: async (_root, { input }, { services, client, signIn }) => {
      const { fullName, email, password, invitation } = input
      const signedIn = await services.users.register(
        { fullName, email, password, invitation: invitation ?? undefined },
        client,
      )
      await signIn(signedIn)
      return signedIn
    },
  },
  { outputFields: (t) => ({ viewer: t.field({ type: User, resolve: ({ user }) => user }) }) },
)
