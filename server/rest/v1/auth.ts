import { z } from 'zod'
import type { User as DomainUser, SignedIn } from '../../domain/users/contract.ts'
import { publicId } from '../../lib/ids.ts'
import { LANGUAGES, languageCookie, languageFor } from '../../lib/languages.ts'
import type { RestPlugin } from '../plugin.ts'
import { clientOf, knownClientOf, requireViewer } from '../request.ts'
import { DateTime, noContent } from '../schemas.ts'
import { ApiKeySchema, presentKey } from './keys.ts'

const BODY_LIMIT_BYTES = 16 * 1024
const COOKIE = { 'Set-Cookie': { type: 'string', description: 'The session.' } } as const
const COOKIES = {
  'Set-Cookie': {
    type: 'string',
    description: 'The session; a second cookie marks this browser as known to the user.',
  },
} as const

const LanguageField = z.enum(LANGUAGES).nullable().describe('Of the pages; null: as the browser asks.')

const User = z
  .object({
    id: z.string(),
    fullName: z.string(),
    email: z.string(),
    avatarUrl: z.string().describe('Path of the picture on this server.'),
    role: z.enum(['MEMBER', 'ADMINISTRATOR']).describe('The first user is the administrator.'),
    language: LanguageField,
    createdAt: DateTime,
  })
  .meta({ id: 'User' })

const Me = User.extend({
  key: ApiKeySchema.nullable().describe('The API key of this request; null for a session.'),
  rateLimit: z
    .object({
      limit: z.int().describe('Requests per minute of this key, REST and GraphQL together.'),
      remaining: z.int().describe('Remaining requests after this one.'),
      resetSeconds: z.int().describe('`remaining` is back at `limit` in so many seconds, without further requests.'),
    })
    .nullable()
    .describe('As in the headers `RateLimit-…` of every response; null: no limit.'),
}).meta({ id: 'Me' })

const RegisterBody = z.strictObject({
  fullName: z.string().describe('1 to 200 characters.'),
  email: z.string(),
  password: z.string().describe('8 to 1,000 characters of any script.'),
  invitation: z.string().max(200).optional().describe('From an invitation link (`?invite=`), which works once.'),
})

const LoginBody = z.strictObject({
  email: z.string(),
  password: z.string(),
  rememberMe: z
    .boolean()
    .default(false)
    .describe('Keeps the session for 30 days without use, at most 90 days, instead of 1 and 7.'),
})

const MeBody = z.strictObject({
  fullName: z.string().optional().describe('1 to 200 characters.'),
  language: LanguageField.optional(),
})

const PasswordBody = z.strictObject({
  currentPassword: z.string(),
  newPassword: z.string().describe('8 to 1,000 characters of any script.'),
})

const DeleteBody = z.strictObject({
  password: z.string(),
  deleteRemote: z
    .boolean()
    .default(false)
    .describe('Also deletes what was stored on connected accounts; otherwise it remains there.'),
})

const ForgotBody = z.strictObject({ email: z.string() })

const ResetBody = z.strictObject({
  token: z.string().max(200).describe('From the link in the e-mail. Valid once, for 24 hours.'),
  password: z.string().describe('8 to 1,000 characters of any script.'),
})

/** Registration, sign-in and sign-out with session cookies. */
export const authRoutes: RestPlugin = async (app, { services, sessionCookie, deviceCookie }) => {
  const tags = ['auth']
  const signedIn = ({ user, token, expiresAt, device }: SignedIn) => ({
    body: { user: presentUser(user) },
    cookies: [
      sessionCookie.write(token, expiresAt),
      deviceCookie.write(user.id, device),
      ...(user.language === null ? [] : [languageCookie(user.language)]),
    ],
  })

  app.post(
    '/auth/register',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: {
        public: true,
        scope: 'SESSION',
        problems: ['INVALID_INPUT', 'EMAIL_TAKEN', 'TOO_MANY_REQUESTS', 'REGISTRATION_CLOSED', 'INVALID_TOKEN'],
        documents: { responseHeaders: { 201: COOKIES } },
      },
      schema: {
        tags,
        summary: 'Register and sign in',
        body: RegisterBody,
        response: { 201: z.object({ user: User }) },
      },
    },
    async (request, reply) => {
      const client = knownClientOf(request, deviceCookie)
      const { body, cookies } = signedIn(await services.users.register(request.body, client))
      if (request.viewer) await services.users.logout(request.viewer)
      return reply.code(201).header('set-cookie', cookies).send(body)
    },
  )

  app.post(
    '/auth/login',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: {
        public: true,
        scope: 'SESSION',
        problems: ['INVALID_INPUT', 'UNAUTHENTICATED', 'TOO_MANY_REQUESTS'],
        documents: { responseHeaders: { 200: COOKIES } },
      },
      schema: { tags, summary: 'Sign in', body: LoginBody, response: { 200: z.object({ user: User }) } },
    },
    async (request, reply) => {
      const client = knownClientOf(request, deviceCookie)
      const { body, cookies } = signedIn(await services.users.login(request.body, client))
      if (request.viewer) await services.users.logout(request.viewer)
      return reply.header('set-cookie', cookies).send(body)
    },
  )

  app.post(
    '/auth/logout',
    {
      config: { public: true, scope: 'SESSION' },
      schema: { tags, summary: 'Sign out; the session ends at once', response: { 204: noContent } },
    },
    async (request, reply) => {
      if (request.viewer) await services.users.logout(request.viewer)
      return reply.code(204).header('set-cookie', sessionCookie.clear()).send(null)
    },
  )

  app.get(
    '/auth/validate',
    {
      config: { scope: 'SESSION' },
      schema: {
        tags,
        summary: 'Check whether the session is valid',
        response: { 200: z.object({ authenticated: z.literal(true) }) },
      },
    },
    async () => ({ authenticated: true as const }),
  )

  app.get(
    '/auth/me',
    {
      schema: { tags, summary: 'The signed-in user, or whose key this is and what it may do', response: { 200: Me } },
    },
    async (request) => {
      const viewer = requireViewer(request)
      const [user, key] = await Promise.all([services.users.me(viewer), services.keys.current(viewer)])
      return { ...presentUser(user), key: key && presentKey(key), rateLimit: viewer.key?.rate ?? null }
    },
  )
}

/** Changes to the signed-in user. */
export const meRoutes: RestPlugin = async (app, { services: { people, users }, sessionCookie }) => {
  const tags = ['auth']

  app.patch(
    '/auth/me',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: { scope: 'SESSION', problems: ['INVALID_INPUT'] },
      schema: { tags, summary: 'Change the name or the language', body: MeBody, response: { 200: User } },
    },
    async (request, reply) => {
      const viewer = requireViewer(request)
      const { fullName, language } = request.body
      if (fullName !== undefined) await people.changeName(viewer, fullName)
      if (language !== undefined) {
        await people.changeLanguage(viewer, language)
        reply.header('set-cookie', languageCookie(language))
      }
      return presentUser(await users.me(viewer))
    },
  )

  app.post(
    '/auth/password',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: {
        scope: 'SESSION',
        problems: ['INVALID_INPUT', 'TOO_MANY_REQUESTS', 'CONFLICT'],
        documents: { responseHeaders: { 204: COOKIE } },
      },
      schema: {
        tags,
        summary: 'Change the password; all other sessions end, this one gets a new cookie',
        body: PasswordBody,
        response: { 204: noContent },
      },
    },
    async (request, reply) => {
      const { token, expiresAt } = await people.changePassword(requireViewer(request), {
        ...request.body,
        language: languageFor(request.headers),
      })
      return reply.code(204).header('set-cookie', sessionCookie.write(token, expiresAt)).send(null)
    },
  )

  app.delete(
    '/auth/me',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: {
        scope: 'SESSION',
        problems: ['INVALID_INPUT', 'TOO_MANY_REQUESTS'],
        documents: { responseHeaders: { 204: COOKIE } },
      },
      schema: {
        tags,
        summary: 'Delete the user and all their data; cannot be undone',
        body: DeleteBody,
        response: { 204: noContent },
      },
    },
    async (request, reply) => {
      await people.deleteUser(requireViewer(request), request.body)
      return reply.code(204).header('set-cookie', sessionCookie.clear()).send(null)
    },
  )
}

/** Forgotten passwords. */
export const recoveryRoutes: RestPlugin = async (app, { services: { recovery }, deviceCookie }) => {
  const tags = ['auth']

  app.post(
    '/auth/forgot-password',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: { public: true, scope: 'SESSION', problems: ['INVALID_INPUT', 'TOO_MANY_REQUESTS'] },
      schema: {
        tags,
        summary: 'E-mail a link to set a new password; the response is the same for unknown addresses',
        body: ForgotBody,
        response: { 202: z.object({}).describe('Accepted.') },
      },
    },
    async (request, reply) => {
      await recovery.forgot(request.body.email, clientOf(request))
      return reply.code(202).send({})
    },
  )

  app.post(
    '/auth/reset-password',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: { public: true, scope: 'SESSION', problems: ['INVALID_INPUT', 'INVALID_TOKEN', 'TOO_MANY_REQUESTS'] },
      schema: {
        tags,
        summary: 'Set a new password with the token of an e-mail; ends all sessions and does not sign in',
        body: ResetBody,
        response: { 204: noContent },
      },
    },
    async (request, reply) => {
      const { userId, device } = await recovery.reset(request.body, knownClientOf(request, deviceCookie))
      return reply.code(204).header('set-cookie', deviceCookie.write(userId, device)).send(null)
    },
  )
}

function presentUser({ id, fullName, email, role, language, createdAt }: DomainUser): z.infer<typeof User> {
  const userId = publicId('User', id)
  const avatarUrl = `/avatars/${userId}`
  return { id: userId, fullName, email, avatarUrl, role, language, createdAt: createdAt.toISOString() }
}
