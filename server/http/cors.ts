import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { applyHeaders, showsKey } from './security.ts'

/** What other sites may request; pages, pictures and scripts are for the web client only. */
const OPEN_PATHS = /^\/(api|graphql)(\/|$|\?)/

/** Origins whose pages may read responses; '*': any origin, for requests with an API key. */
export type CorsOrigins = ReadonlySet<string>

/** Chromium's maximum. */
const MAX_AGE_SECONDS = 7_200

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
/** Listed one by one too: old browsers do not support the asterisk, and it never includes Authorization. */
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'If-Range',
  'Range',
  'Last-Event-ID',
  'Tus-Resumable',
  'Upload-Checksum',
  'Upload-Concat',
  'Upload-Defer-Length',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
  'X-HTTP-Method-Override',
  'X-Request-ID',
  'X-Requested-With',
  'GraphQL-Require-Preflight',
  'Apollo-Require-Preflight',
  'X-Apollo-Operation-Name',
  '*',
].join(', ')
const RESPONSE_HEADERS = [
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Length',
  'Content-Range',
  'ETag',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Limit',
  'RateLimit-Policy',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'Skypool-File-Id',
  'Skypool-Parent-Id',
  'Tus-Checksum-Algorithm',
  'Tus-Extension',
  'Tus-Max-Size',
  'Tus-Resumable',
  'Tus-Version',
  'Upload-Concat',
  'Upload-Defer-Length',
  'Upload-Expires',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
  'X-Free-Bytes',
  'X-Request-Id',
  '*',
].join(', ')

/**
 * Lets pages of the listed origins read what programs may read (Fetch Standard, CORS). Never with credentials: browsers then send
 * no cookies, and createOriginCheck drops any that arrive anyway. Without origins it does nothing.
 */
export function allowOrigins(app: FastifyInstance, origins: CorsOrigins): void {
  if (origins.size === 0) return
  app.addHook('onRequest', async (request, reply) => {
    if (!OPEN_PATHS.test(request.url)) return
    reply.raw.setHeader('vary', 'Origin')
    const allowed = allowedFor(request, origins)
    if (allowed === null) return
    applyHeaders(reply, [
      ['access-control-allow-origin', allowed],
      ['access-control-expose-headers', RESPONSE_HEADERS],
    ])
    if (isPreflight(request)) return answerPreflight(reply)
  })
}

/** The value of Access-Control-Allow-Origin; null: none. */
function allowedFor(request: FastifyRequest, origins: CorsOrigins): string | null {
  const { origin } = request.headers
  if (origin === undefined) return null
  if (origins.has(origin)) return origin
  if (!origins.has('*')) return null
  return (isPreflight(request) ? announcesKey(request) : showsKey(request)) ? '*' : null
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
}

/** Whether the request announced by a preflight will carry a key. */
function announcesKey({ headers }: FastifyRequest): boolean {
  const named = String(headers['access-control-request-headers'] ?? '')
  return named.split(',').some((name) => name.trim().toLowerCase() === 'authorization')
}

function answerPreflight(reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .headers({
      'access-control-allow-methods': METHODS,
      'access-control-allow-headers': REQUEST_HEADERS,
      'access-control-max-age': String(MAX_AGE_SECONDS),
    })
    .send()
}
