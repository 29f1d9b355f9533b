import { z } from 'zod'
import type { Session as DomainSession } from '../../domain/users/contract.ts'
import { publicId } from '../../lib/ids.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, requireViewer } from '../request.ts'
import { DateTime, idParams, listOf, noContent, pageOf, pageQuery } from '../schemas.ts'

const Session = z
  .object({
    id: z.string(),
    name: z.string().describe('Such as “Chrome on Linux”.'),
    address: z.string().describe('IP address of the sign-in.'),
    current: z.boolean().describe('The session of this request.'),
    remember: z.boolean(),
    createdAt: DateTime,
    lastSeenAt: DateTime.describe('Accurate to the minute.'),
  })
  .meta({ id: 'Session' })

/** Signed-in browsers; only sessions may use these routes. */
export const sessionsRoutes: RestPlugin = async (app, { services: { people }, sessionCookie }) => {
  const tags = ['sessions']

  app.get(
    '/sessions',
    {
      config: { scope: 'SESSION', problems: ['INVALID_INPUT'] },
      schema: {
        tags,
        summary: 'List signed-in browsers: this one first, then by last use',
        querystring: pageQuery,
        response: { 200: listOf(Session) },
      },
    },
    async (request) => pageOf((await people.sessions(requireViewer(request))).map(present), request.query),
  )

  app.delete(
    '/sessions',
    {
      config: { scope: 'SESSION' },
      schema: { tags, summary: 'Sign out all other browsers', response: { 204: noContent } },
    },
    async (request, reply) => {
      await people.endOtherSessions(requireViewer(request))
      return reply.code(204).send(null)
    },
  )

  app.delete(
    '/sessions/:id',
    {
      config: { scope: 'SESSION', problems: ['NOT_FOUND'] },
      schema: { tags, summary: 'Sign out a browser at once', params: idParams, response: { 204: noContent } },
    },
    async (request, reply) => {
      const viewer = requireViewer(request)
      const id = databaseId('Session', request.params.id)
      await people.endSession(viewer, id)
      if (id === viewer.sessionId) reply.header('set-cookie', sessionCookie.clear())
      return reply.code(204).send(null)
    },
  )
}

function present({ id, createdAt, lastSeenAt, ...rest }: DomainSession): z.infer<typeof Session> {
  const times = { createdAt: createdAt.toISOString(), lastSeenAt: lastSeenAt.toISOString() }
  return { id: publicId('Session', id), ...rest, ...times }
}
