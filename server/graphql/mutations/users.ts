import {
  ConflictError,
  InvalidInputError,
  NotAdministratorError,
  NotFoundError,
  RegistrationClosedError,
  TooManyRequestsError,
} from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf } from '../ids.ts'
import { Invitation } from '../types/Server.ts'
import { Language, User } from '../types/User.ts'

builder.relayMutationField(
  'changeName',
  { inputFields: (t) => ({ fullName: t.string({ required: true, description: '1 to 200 characters.' }) }) },
  {
    extensions: { scope: 'SESSION' },
    errors: { types: [InvalidInputError] },
    resolve: async (_root, { input: { fullName } }, context) => {
      const viewer = requireViewer(context)
      await context.services.people.changeName(viewer, fullName)
      return { viewer: { id: viewer.userId } }
    },
  },
  { outputFields: (t) => ({ viewer: t.expose('viewer', { type: User }) }) },
)

builder.relayMutationField(
  'changeLanguage',
  { inputFields: (t) => ({ language: t.field({ type: Language, description: 'null: as the browser asks.' }) }) },
  {
    description: 'Changes the language of the pages. The response sets it for this browser too, before sign-in.',
    extensions: { scope: 'SESSION' },
    resolve: async (_root, { input: { language } }, context) => {
      const viewer = requireViewer(context)
      await context.services.people.changeLanguage(viewer, language ?? null)
      context.keepLanguage(language ?? null)
      return { viewer: { id: viewer.userId } }
    },
  },
  { outputFields: (t) => ({ viewer: t.expose('viewer', { type: User }) }) },
)

builder.relayMutationField(
  'changePassword',
  {
    inputFields: (t) => ({
      currentPassword: t.string({ required: true }),
      newPassword: t.string({ required: true, description: '8 to 1,000 characters of any script.' }),
    }),
  },
  {
    description: 'Signs out all other browsers; this one gets a new cookie.',
    extensions: { scope: 'SESSION' },
    errors: { types: [InvalidInputError, TooManyRequestsError, ConflictError] },
    resolve: async (_root, { input: { currentPassword, newPassword } }, context) => {
      const viewer = requireViewer(context)
      const signedIn = await context.services.people.changePassword(viewer, {
        currentPassword,
        newPassword,
        language: context.client.language,
      })
      await context.signIn(signedIn)
      return { viewer: { id: viewer.userId } }
    },
  },
  { outputFields: (t) => ({ viewer: t.expose('viewer', { type: User }) }) },
)

builder.relayMutationField(
  'deleteUser',
  {
    inputFields: (t) => ({
      password: t.string({ required: true }),
      deleteRemote: t.boolean({
        description: 'Also deletes the files stored on connected accounts. Default: they stay there.',
      }),
    }),
  },
  {
    description:
      'Deletes the viewer and all their data on this server, and disconnects their accounts. This cannot be undone.',
    extensions: { scope: 'SESSION' },
    errors: { types: [InvalidInputError, TooManyRequestsError] },
    resolve: async (_root, { input: { password, deleteRemote } }, context) => {
      const input = { password, deleteRemote: deleteRemote ?? false }
      await context.services.people.deleteUser(requireViewer(context), input)
      context.signOut()
      return { ok: true }
    },
  },
  { outputFields: (t) => ({ ok: t.exposeBoolean('ok') }) },
)

builder.relayMutationField(
  'createInvitation',
  {
    inputFields: (t) => ({
      email: t.string({ description: 'Only this address can use it.' }),
      expiresInDays: t.int({ description: '1 to 365; 7 by default.' }),
    }),
  },
  {
    description: 'Creates a link for one registration. For the administrator.',
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
        description: 'The link. Shown only once.',
        resolve: ({ token }, _args, { linkOrigin }) => `${linkOrigin}/register?invite=${token}`,
      }),
      viewer: t.field({ type: User, resolve: (_made, _args, context) => ({ id: requireViewer(context).userId }) }),
    }),
  },
)

builder.relayMutationField(
  'revokeInvitation',
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    description: 'Its link stops working. For the administrator.',
    extensions: { scope: 'SESSION' },
    errors: { types: [NotFoundError] },
    resolve: async (_root, { input: { id } }, context) => {
      await context.services.administration.revokeInvitation(requireViewer(context), databaseIdOf('Invitation', id))
      return { revokedId: id }
    },
  },
  {
    outputFields: (t) => ({
      revokedId: t.exposeID('revokedId'),
      viewer: t.field({ type: User, resolve: (_made, _args, context) => ({ id: requireViewer(context).userId }) }),
    }),
  },
)
