import type { FastifyRequest } from 'fastify'
import { HttpError } from '../rest/errors.ts'
import type { SessionCookie } from '../rest/sessionCookie.ts'

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * The one guard against requests that another site makes a browser send. Holds for every state-changing request of both
 * doors and every content type: an Origin must be our own, and a session cookie needs an Origin
 * unless a key is shown, which no browser adds by itself. Says in `request.ownOrigin`
 * what our own is.
 */
export function createOriginCheck(publicUrl: URL | null, sessionCookie: SessionCookie) {
  return async (request: FastifyRequest): Promise<void> => {
    request.ownOrigin = publicUrl?.origin ?? `${request.protocol}://${request.host}`
    if (SAFE_METHODS.has(request.method)) return
    const { origin, cookie, authorization } = request.headers
    if (origin !== undefined) {
      if (origin === request.ownOrigin) return
      throw new HttpError('FOREIGN_ORIGIN', 'Requests from other sites are not accepted.')
    }
    if (authorization !== undefined || sessionCookie.read(cookie) === null) return
    throw new HttpError(
      'ORIGIN_REQUIRED',
      'A request with a session cookie has to say where it comes from (Origin header).',
    )
  }
}
