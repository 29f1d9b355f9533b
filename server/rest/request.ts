import type { FastifyRequest } from 'fastify'
import { InvalidInputError, NotFoundError, UnauthenticatedError } from '../domain/errors.ts'
import type { Client } from '../domain/services.ts'
import type { Viewer } from '../domain/viewer.ts'
import { type IdType, parsePublicId } from '../lib/ids.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the http layer before any handler runs; null when nobody is signed in. */
    viewer: Viewer | null
  }
  interface FastifyContextConfig {
    /** true: the route answers without a session. Every other REST route is refused with 401 before its body is read. */
    public?: boolean
  }
}

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

/** The signed-in viewer. @throws UnauthenticatedError */
export function requireViewer(request: FastifyRequest): Viewer {
  if (!request.viewer) throw new UnauthenticatedError()
  return request.viewer
}

/** Where the request comes from; the address honours TRUST_PROXY. */
export function clientOf(request: FastifyRequest): Client {
  return { address: request.ip, userAgent: (request.headers['user-agent'] ?? '').slice(0, 500) }
}

/** The `Idempotency-Key` header; undefined when there is none. @throws InvalidInputError unless 1 to 255 visible ASCII characters */
export function idempotencyKeyOf(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && IDEMPOTENCY_KEY.test(key)) return key
  throw new InvalidInputError([
    { path: 'Idempotency-Key', message: 'An Idempotency-Key has 1 to 255 visible ASCII characters.' },
  ])
}

/** The database id behind a public id. @throws NotFoundError for anything that is not an id of this type */
export function databaseId(type: IdType, publicId: string): string {
  const parsed = parsePublicId(publicId)
  if (parsed?.type !== type) throw new NotFoundError()
  return parsed.id
}
