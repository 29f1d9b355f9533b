import { z } from 'zod'
import type { SignedIn } from '../../domain/users/contract.ts'
import type { RestPlugin } from '../plugin.ts'
import { knownClientOf, requireViewer } from '../request.ts'
import { noContent } from '../schemas.ts'
import { presentUser, User } from './userSchema.ts'

const BODY_LIMIT_BYTES = 16 * 1024

const RegisterBody = z.strictObject({
  fullName: z.string().describe('1 to 200 characters.'),
  email: z.string(),
  password: z.string().describe('8 to 1,000 characters of any script.'),
  invitation: z.string().max(200).optional().describe('From the link of an invitation (`?invite=`); used up by this.'),
})

const LoginBody = z.strictObject({
  email: z.string(),
  password: z.string(),
  rememberMe: z
    .boolean()
    .default(false)
    .describe('Keeps the session for 30 days of rest, 90 in all, instead of 1 and 7.'),
})

const COOKIE = {
  'Set-Cookie': { type: 'string', description: 'The session; another one marks this browser as known to the user.' },
} as const

/** Sign-up, sign-in and sign-out by session cookie. */
export const authRoutes: RestPlugin = async (app, { services, sessionCookie, deviceCookie }) => {
  const tags = ['auth']
  const signedIn = ({ user, token, expiresAt, device }: SignedIn) => ({
    body: { user: presentUser(user) },
    cookies: [sessionCookie.write(token, expiresAt), deviceCookie.write(user.id, device)],
  })

  app.post(
    '/auth/register',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: {
        public: true,
        scope: 'SESSION',
        problems: ['INVALID_INPUT', 'EMAIL_TAKEN', 'TOO_MANY_REQUESTS', 'REGISTRATION_CLOSED', 'INVALID_TOKEN'],
        documents: { answerHeaders: { 201: COOKIE } },
      },
      schema: {
        tags,
        summary: 'Make an account and sign in',
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
        documents: { answerHeaders: { 200: COOKIE } },
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
        summary: 'Is the session alive?',
        response: { 200: z.object({ authenticated: z.literal(true) }) },
      },
    },
    async () => ({ authenticated: true as const }),
  )

  app.get(
    '/auth/me',
    {
      config: { scope: 'SESSION' },
      schema: { tags, summary: 'The signed-in user', response: { 200: User } },
    },
    async (request) => presentUser(await services.users.me(requireViewer(request))),
  )
}
