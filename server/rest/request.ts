import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { NotFoundError, UnauthenticatedError } from '../domain/errors.ts'
import type { Client, UsersService } from '../domain/users/contract.ts'
import { type Access, type RateLeft, requireAccess, type Viewer } from '../domain/viewer.ts'
import { watchValidity } from '../lib/concurrency.ts'
import { type IdType, parsePublicId } from '../lib/ids.ts'
import { languageFor } from '../lib/languages.ts'
import type { DeviceCookie } from './cookies.ts'
import type { ProblemCode } from './errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the http layer before any handler runs; null: anonymous. */
    viewer: Viewer | null
    /** The address people use for this server, as `https://host`; set by the http layer when it checks the Origin header. */
    ownOrigin: string
    /** Base of links to this server; never a host name that only the request claims. */
    linkOrigin: string
  }
  interface FastifyContextConfig {
    /** true: the route is open to anonymous callers. All other REST routes answer 401 before the body is read. */
    public?: boolean
    /** The scope a key needs. Default: READ for GET and HEAD, WRITE for other methods. A session may do everything. */
    scope?: Access
    /** true: the caller is irrelevant, so neither session nor key is checked. */
    visitors?: boolean
    /** Error codes of this route for the OpenAPI document; those common to all routes are added there. */
    problems?: readonly ProblemCode[]
    /** true: an `Idempotency-Key` header is supported. */
    idempotent?: boolean
    /** What the route reads or sends outside its schema: raw bodies, tus headers. For documentation only, not validated. */
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
  readonly responseHeaders?: Readonly<Record<number, ResponseHeaders>>
}

export type ResponseHeaders = Readonly<Record<string, { type: 'string' | 'integer'; description: string }>>

/** The signed-in viewer. @throws UnauthenticatedError */
export function requireViewer(request: FastifyRequest): Viewer {
  if (!request.viewer) throw new UnauthenticatedError()
  return request.viewer
}

/** Address, User-Agent and language of the client; the address respects TRUST_PROXY. */
export function clientOf(request: FastifyRequest): Client {
  const { headers, ip: address } = request
  return { address, userAgent: (headers['user-agent'] ?? '').slice(0, 500), language: languageFor(headers) }
}

/** As clientOf, with access to the cookie by which a browser is recognised. */
export function knownClientOf(request: FastifyRequest, deviceCookie: DeviceCookie): Client {
  return { ...clientOf(request), deviceOf: (userId) => deviceCookie.read(request.headers.cookie, userId) }
}

/** The `Idempotency-Key` header as sent; the domain validates it. */
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

const READ_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** The access that a route requires of its caller; null: none. */
export function accessOf({ public: isPublic, scope }: FastifyContextConfig, method: string): Access | null {
  if (scope) return scope
  if (isPublic) return null
  return READ_METHODS.has(method) ? 'READ' : 'WRITE'
}

/** Checks that the caller may use the route. @throws UnauthenticatedError, KeyRefusedError */
export function authorize(request: FastifyRequest): void {
  const { config } = request.routeOptions
  if (!config.public) requireViewer(request)
  const access = accessOf(config, request.method)
  if (request.viewer && access) requireAccess(request.viewer, access)
}

/**
 * Closes the connection of a request within five seconds after its session or key is revoked, however long the transfer takes.
 * Not for SESSION routes, which may themselves end the session, nor for public routes.
 */
export function abortOnRevocation(users: UsersService, request: FastifyRequest, { raw }: FastifyReply): void {
  const { viewer, method, routeOptions } = request
  const access = accessOf(routeOptions.config, method)
  if (!viewer || access === null || access === 'SESSION') return
  const stop = watchValidity(
    () => users.isLive(viewer),
    () => raw.destroy(),
  )
  raw.once('close', stop)
}

/** Rate limit headers for responses to a key. */
export function rateHeaders(rate: RateLeft | undefined): Record<string, string> {
  if (!rate) return {}
  return {
    'ratelimit-limit': String(rate.limit),
    'ratelimit-remaining': String(rate.remaining),
    'ratelimit-reset': String(rate.resetSeconds),
  }
}
