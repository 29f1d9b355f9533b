import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { NotFoundError, UnauthenticatedError } from '../domain/errors.ts'
import type { Client } from '../domain/users/contract.ts'
import type { Access, Viewer } from '../domain/viewer.ts'
import { type IdType, parsePublicId } from '../lib/ids.ts'
import type { ProblemCode } from './errors.ts'
import type { DeviceCookie } from './proofCookie.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the http layer before any handler runs; null when nobody is signed in. */
    viewer: Viewer | null
    /** Where people reach this server, as `https://host`; set by the http layer with the check of the Origin header. */
    ownOrigin: string
    /** What links to this server begin with: never a name that only the request claims. */
    linkOrigin: string
  }
  interface FastifyContextConfig {
    /** true: the route answers without a session. Every other REST route is refused with 401 before its body is read. */
    public?: boolean
    /** What a key needs for this route. Left out: READ for GET and HEAD, WRITE for every other method. A session may do everything. */
    scope?: Access
    /** true: who asks does not count; no session and no key is looked at. */
    visitors?: boolean
    /** Codes this route can answer with, for the OpenAPI document; those of every route are added there. */
    problems?: readonly ProblemCode[]
    /** true: an `Idempotency-Key` header is honoured. */
    idempotent?: boolean
    /** What the route reads or answers by itself, past its schema: byte bodies, tus headers. Only shown, not checked. */
    documents?: Documented
  }
}

export type Documented = {
  readonly consumes?: string[]
  readonly body?: z.ZodType
  readonly headers?: z.ZodType
  readonly querystring?: z.ZodType
  /** By status: a schema, or `{ description, content: { [type]: { schema } } }`. */
  readonly response?: Readonly<Record<number, object>>
  /** By status. */
  readonly answerHeaders?: Readonly<Record<number, AnswerHeaders>>
}

export type AnswerHeaders = Readonly<Record<string, { type: 'string' | 'integer'; description: string }>>

/** The signed-in viewer. @throws UnauthenticatedError */
export function requireViewer(request: FastifyRequest): Viewer {
  if (!request.viewer) throw new UnauthenticatedError()
  return request.viewer
}

/** Where the request comes from; the address honours TRUST_PROXY. */
export function clientOf(request: FastifyRequest): Client {
  return { address: request.ip, userAgent: (request.headers['user-agent'] ?? '').slice(0, 500) }
}

/** As clientOf, with what the browser is known by. */
export function knownClientOf(request: FastifyRequest, deviceCookie: DeviceCookie): Client {
  return { ...clientOf(request), deviceOf: (userId) => deviceCookie.read(request.headers.cookie, userId) }
}

/** The `Idempotency-Key` header as sent; the domain checks it. */
export function idempotencyKeyOf(request: FastifyRequest): string | undefined {
  return request.headers['idempotency-key']?.toString()
}

/** The database id behind a public id. @throws NotFoundError for anything that is not an id of this type */
export function databaseId(type: IdType, publicId: string): string {
  const parsed = parsePublicId(publicId)
  if (parsed?.type !== type) throw new NotFoundError()
  return parsed.id
}

/** As databaseId, where a field may be null or left out. @throws NotFoundError for the empty text too */
export function optionalId<Absent extends null | undefined>(type: IdType, publicId: string | Absent): string | Absent {
  return typeof publicId === 'string' ? databaseId(type, publicId) : publicId
}
