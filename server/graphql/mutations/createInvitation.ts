import {
  ConflictError,
  InvalidInputError,
  NotAdministratorError,
  RegistrationClosedError,
} from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { Invitation } from '../types/Administration.ts'
import { User } from '../types/User.ts'

builder.relayMutationField(
  'createInvitation',
  {
    inputFields: (t) => ({
      email: t.string({ description: 'Only this address may then use it.' }),
      expiresInDays: t.int({ description: '1 to 365; 7 by default.' }),
    }),
  },
  {
    description: 'Makes a link by which somebody can register, once. For the administrator.',
    extensions: { scope: 'SESSION' },
    errors: { types: [InvalidInputError, NotAdministratorError, ConflictError, RegistrationClosedError] },
    resolve: (_root, { input: { email, expiresInDays } }, context) =>
      context.services.administration.invite(requireViewer(context), {
        email,
        expiresInDays: expiresInDays ?? undefined,
      }),
  },
  {
    outputFields: (t) => ({
      invitation: t.expose('invitation', { type: Invitation }),
      url: t.string({
        description: 'The link. It is shown here once.',
        resolve: ({ token }, _args, { linkOrigin }) => `${linkOrigin}/register?invite=${token}`,
      }),
      viewer: t.field({ type: User, resolve: (_made, _args, context) => ({ id: requireViewer(context).userId }) }),
    }),
  },
)
