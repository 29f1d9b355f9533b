import type { FastifyRequest } from 'fastify'
import { UnauthenticatedError } from '../domain/errors.ts'
import type { Services } from '../domain/services.ts'
import type { Viewer } from '../domain/viewer.ts'
import type { SessionCookie } from '../rest/sessionCookie.ts'

const BEARER = /^bearer +(\S+) *$/i

/**
 * Who a request comes from: the key in `Authorization`, else the session in the cookie; null for nobody. What stands in
 * `Authorization` counts alone, so a key that is not good is never made up for by the cookie that a browser adds.
 * @throws UnauthenticatedError for anything in `Authorization` but a good key, TooManyRequestsError
 */
export function createCallerOf({ users, keys }: Pick<Services, 'users' | 'keys'>, sessionCookie: SessionCookie) {
  return async ({ headers: { authorization, cookie }, ip }: FastifyRequest): Promise<Viewer | null> => {
    if (authorization === undefined) {
      const token = sessionCookie.read(cookie)
      return token === null ? null : users.viewerOf(token)
    }
    const key = BEARER.exec(authorization)?.[1]
    const viewer = key === undefined ? null : await keys.viewerOf(key, ip)
    if (viewer) return viewer
    throw new UnauthenticatedError('This API key is not valid. It may have been revoked, or it has expired.')
  }
}
