import type { FastifyRequest } from 'fastify'
import { HttpError } from '../rest/errors.ts'
import type { SessionCookie } from '../rest/sessionCookie.ts'
import { createSetOrigins, type OriginDeps } from './host.ts'

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Only this scheme: a browser may add what a page has signed in with by Basic. */
const BEARER = /^bearer +\S/i

/**
 * The one guard against requests that another site makes a browser send. Holds for every state-changing request of both
 * doors and every content type: without a key, which no browser adds by itself, an Origin must be our own and a session cookie
 * needs one. A cookie that comes with a foreign Origin is dropped, whatever the method. Which origin that is: host.ts.
 */
export function createOriginCheck(deps: OriginDeps, sessionCookie: SessionCookie) {
  const setOrigins = createSetOrigins(deps)
  return async (request: FastifyRequest): Promise<void> => {
    setOrigins(request)
    const { origin, authorization } = request.headers
    const isForeign = origin !== undefined && origin !== request.ownOrigin
    if (isForeign) delete request.headers.cookie
    if (SAFE_METHODS.has(request.method) || showsKey(request)) return
    if (isForeign) throw new HttpError('FOREIGN_ORIGIN', 'Requests from other sites need an API key.')
    if (origin !== undefined || authorization !== undefined || sessionCookie.read(request.headers.cookie) === null)
      return
    throw new HttpError(
      'ORIGIN_REQUIRED',
      'A request with a session cookie has to say where it comes from (Origin header).',
    )
  }
}

/** Whether a request says to come with an API key. */
export function showsKey({ headers }: FastifyRequest): boolean {
  return BEARER.test(headers.authorization ?? '')
}
