import { z } from 'zod'
import type { RestPlugin } from '../plugin.ts'
import { requireViewer } from '../request.ts'
import { noContent } from '../schemas.ts'
import { presentUser, User } from './userSchema.ts'

const BODY_LIMIT_BYTES = 16 * 1024
const COOKIE = { 'Set-Cookie': { type: 'string', description: 'The session.' } } as const

const NameBody = z.strictObject({ fullName: z.string().describe('1 to 200 characters.') })

const PasswordBody = z.strictObject({
  currentPassword: z.string(),
  newPassword: z.string().describe('8 to 1,000 characters of any script.'),
})

const DeleteBody = z.strictObject({
  password: z.string(),
  deleteRemote: z
    .boolean()
    .default(false)
    .describe('Also removes what was stored on connected accounts; otherwise it stays there.'),
})

/** What the signed-in user may do with their own sign-in. */
export const meRoutes: RestPlugin = async (app, { services: { people, users }, sessionCookie }) => {
  const tags = ['auth']

  app.patch(
    '/auth/me',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: { scope: 'SESSION', problems: ['INVALID_INPUT'] },
      schema: { tags, summary: 'Change the name', body: NameBody, response: { 200: User } },
    },
    async (request) => {
      const viewer = requireViewer(request)
      await people.changeName(viewer, request.body.fullName)
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
        documents: { answerHeaders: { 204: COOKIE } },
      },
      schema: {
        tags,
        summary: 'Change the password; all other sessions end, this one goes on with a new cookie',
        body: PasswordBody,
        response: { 204: noContent },
      },
    },
    async (request, reply) => {
      const { token, expiresAt } = await people.changePassword(requireViewer(request), request.body)
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
        documents: { answerHeaders: { 204: COOKIE } },
      },
      schema: {
        tags,
        summary: 'Delete the user with everything of theirs; it cannot be undone',
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
