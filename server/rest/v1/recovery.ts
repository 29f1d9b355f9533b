import { z } from 'zod'
import type { RestPlugin } from '../plugin.ts'
import { clientOf, knownClientOf } from '../request.ts'
import { noContent } from '../schemas.ts'

const BODY_LIMIT_BYTES = 16 * 1024

const ForgotBody = z.strictObject({ email: z.string() })

const ResetBody = z.strictObject({
  token: z.string().max(200).describe('From the link in the mail. It works once, for 24 hours.'),
  password: z.string().describe('8 to 1,000 characters of any script.'),
})

/** For people who cannot sign in. */
export const recoveryRoutes: RestPlugin = async (app, { services: { recovery }, deviceCookie }) => {
  const tags = ['auth']

  app.post(
    '/auth/forgot-password',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: { public: true, scope: 'SESSION', problems: ['INVALID_INPUT', 'TOO_MANY_REQUESTS'] },
      schema: {
        tags,
        summary: 'Mail a link to choose a new password; the answer is the same for unknown addresses',
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
        summary: 'Choose a new password by the token of a mail; ends all sessions and does not sign in',
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
