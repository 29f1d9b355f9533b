import { z } from 'zod'
import type { Session as DomainSession } from '../../domain/users/contract.ts'
import { publicId } from '../../lib/ids.ts'
import { pageOf } from '../pageOf.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, requireViewer } from '../request.ts'
import { DateTime, idParams, listOf, noContent, pageQuery } from '../schemas.ts'

const Session = z
  .object({
    id: z.string(),
    name: z.string().describe('As “Chrome on Linux”.'),
    address: z.string().describe('Where it signed in from.'),
    current: z.boolean().describe('The one that asks.'),
    remember: z.boolean(),
    createdAt: DateTime,
    lastSeenAt: DateTime.describe('To the minute.'),
  })
  .meta({ id: 'Session' })

/** Signed-in browsers: for sessions only. */
export const sessionsRoutes: RestPlugin = async (app, { services: { people }, sessionCookie }) => {
  const tags = ['sessions']

  app.get(
    '/sessions',
    {
      config: { scope: 'SESSION', problems: ['INVALID_INPUT'] },
      schema: {
        tags,
        summary: 'Signed-in browsers: this one first, then the last seen',
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
      schema: { tags, summary: 'Sign out every other browser', response: { 204: noContent } },
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
      schema: { tags, summary: 'Sign a browser out, at once', params: idParams, response: { 204: noContent } },
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
