import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { problemOf, sendProblem } from '../rest/errors.ts'

type Route = { readonly method: string; readonly pattern: RegExp }

/** Remembers every route as it is registered, to tell a wrong method (405 with Allow) from an unknown path (404). */
export function watchRoutes(app: FastifyInstance): (path: string) => string[] {
  const routes: Route[] = []
  app.addHook('onRoute', ({ url, method }) => {
    const pattern = new RegExp(
      `^${url
        .replace(/[.$^+?()[\]{}|\\]/g, '\\$&')
        .replace(/:\w+/g, '[^/]+')
        .replace(/\*$/, '.*')}$`,
    )
    for (const name of [method].flat()) routes.push({ method: name, pattern })
  })
  return (path) => [...new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))]
}

/** Answers what no route does, for programs. */
export function sendNotFound(request: FastifyRequest, reply: FastifyReply, allowed: readonly string[]): FastifyReply {
  if (allowed.length === 0) return sendProblem(reply, problemOf('NOT_FOUND', 'There is nothing at this address.'))
  const detail = `${request.method} is not possible here. Possible: ${allowed.join(', ')}.`
  return sendProblem(reply.header('allow', allowed.join(', ')), problemOf('METHOD_NOT_ALLOWED', detail))
}
