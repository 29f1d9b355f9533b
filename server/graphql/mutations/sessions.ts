import {
  ConflictError,
  InvalidInputError,
  InvalidTokenError,
  NotFoundError,
  RegistrationClosedError,
  TooManyRequestsError,
  UnauthenticatedError,
} from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf } from '../ids.ts'
import { User } from '../types/User.ts'

builder.relayMutationField(
  'register',
  {
    inputFields: (t) => ({
      fullName: t.string({ required: true }),
      email: t.string({ required: true }),
      password: t.string({ required: true }),
      invitation: t.string({ description: 'Token of an invitation link; valid once.' }),
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

builder.relayMutationField(
  'logout',
  { inputFields: () => ({}) },
  {
    extensions: { scope: 'SESSION' },
    resolve: async (_root, _args, { services, viewer, signOut }) => {
      const leaving = viewer()
      if (leaving) await services.users.logout(leaving)
      signOut()
      return { loggedOut: true }
    },
  },
  { outputFields: (t) => ({ loggedOut: t.exposeBoolean('loggedOut') }) },
)

builder.relayMutationField(
  'forgotPassword',
  { inputFields: (t) => ({ email: t.string({ required: true }) }) },
  {
    description: 'Mails a link to choose a new password. The result does not reveal whether the account exists.',
    extensions: { scope: 'SESSION' },
    errors: { types: [InvalidInputError, TooManyRequestsError] },
    resolve: async (_root, { input: { email } }, { services, client }) => {
      await services.recovery.forgot(email, client)
      return { ok: true }
    },
  },
  { outputFields: (t) => ({ ok: t.exposeBoolean('ok') }) },
)

builder.relayMutationField(
  'resetPassword',
  { inputFields: (t) => ({ token: t.string({ required: true }), password: t.string({ required: true }) }) },
  {
    description: 'Sets the password with the token of a reset mail, once, and ends all sessions. Does not sign in.',
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

builder.relayMutationField(
  'endSession',
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    description: 'Signs a browser out immediately.',
    extensions: { scope: 'SESSION' },
    errors: { types: [NotFoundError] },
    resolve: async (_root, { input: { id } }, context) => {
      const viewer = requireViewer(context)
      const sessionId = databaseIdOf('Session', id)
      await context.services.people.endSession(viewer, sessionId)
      const isOwn = sessionId === viewer.sessionId
      if (isOwn) context.signOut()
      return { endedId: id, viewer: isOwn ? null : { id: viewer.userId } }
    },
  },
  {
    outputFields: (t) => ({
      endedId: t.exposeID('endedId'),
      viewer: t.expose('viewer', {
        type: User,
        nullable: true,
        description: 'Null when the current session was ended.',
      }),
    }),
  },
)

builder.relayMutationField(
  'endOtherSessions',
  { inputFields: () => ({}) },
  {
    description: 'Signs out every browser but this one.',
    extensions: { scope: 'SESSION' },
    resolve: async (_root, _args, context) => {
      const viewer = requireViewer(context)
      return { ended: await context.services.people.endOtherSessions(viewer), viewer: { id: viewer.userId } }
    },
  },
  {
    outputFields: (t) => ({
      ended: t.exposeInt('ended', { description: 'Number of ended sessions.' }),
      viewer: t.expose('viewer', { type: User }),
    }),
  },
)
