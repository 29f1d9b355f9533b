import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { hostname } from 'node:os'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { SessionCookie } from '../rest/cookies.ts'
import { HttpError, type Problem, type ProblemCode, problemOf } from '../rest/errors.ts'
import type { SlowCount } from './connections.ts'

const YEAR_SECONDS = 31_536_000
/** For responses that are data: opened as a page, they may load and run nothing. */
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Only this scheme counts as a key: browsers add Basic credentials by themselves. */
const BEARER = /^bearer +\S/i
/** A name or IPv4 address, or an IPv6 address in brackets, with an optional port. Anything else that RFC 3986 allows is refused. */
const HOST = /^(?:([a-z\d_](?:[a-z\d_.-]{0,253}[a-z\d_.])?)|(\[[\da-f:.]{2,45}\]))(?::\d{1,5})?$/i
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i
/** Requested by monitoring, not by browsers. */
const PROBES: ReadonlySet<string> = new Set(['/health', '/ready'])

/** Headers of every response, including errors and hijacked replies. Pages and inline files override some of them. */
export function securityHeaders(https: boolean): Readonly<Record<string, string>> {
  return {
    'content-security-policy': DATA_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'x-frame-options': 'DENY',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
    ...(https && { 'strict-transport-security': `max-age=${YEAR_SECONDS}; includeSubDomains` }),
  }
}

/** Content-Security-Policy of our own pages. `scriptHashes`: of the page's inline scripts, as `sha256-...`. */
export function pagePolicy(scriptHashes: readonly string[] = []): string {
  const inline = scriptHashes.map((hash) => ` '${hash}'`).join('')
  return [
    "default-src 'none'",
    `script-src 'self'${inline}`,
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "media-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self' blob:",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/**
 * Of the pages in which documents are drawn. `sandbox` takes away their origin: a document that misuses its library can read and load
 * nothing of ours. Inline styles are how documents are drawn; only our page may embed it.
 */
export const FRAME_POLICY = [
  'sandbox allow-scripts',
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  'img-src blob: data:',
  'font-src blob: data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ')

/** Sets headers on the raw response, so that hijacked replies carry them too. */
export function applyHeaders(reply: FastifyReply, headers: readonly (readonly [string, string])[]): void {
  for (const [name, value] of headers) reply.raw.setHeader(name, value)
}

type OriginDeps = {
  /** The address people use for this server; null: taken from the request, if its host name is trusted. */
  readonly publicUrl: URL | null
  /** The address this server listens on (HOST). */
  readonly host: string
  /** As in Fastify's options. */
  readonly trustProxy: boolean | string
  readonly logger: Pick<FastifyBaseLogger, 'warn'>
}

/**
 * CSRF protection for every state-changing request to REST and GraphQL, of any content type: without a key (which browsers
 * never add by themselves) an Origin header must be our own, and a session cookie requires one. A cookie sent with a foreign
 * Origin is dropped for every method. @throws HttpError FOREIGN_ORIGIN, ORIGIN_REQUIRED, and as createSetOrigins
 */
export function createOriginCheck(deps: OriginDeps, sessionCookie: SessionCookie) {
  const setOrigins = createSetOrigins(deps)
  return async (request: FastifyRequest): Promise<void> => {
    setOrigins(request)
    const { origin, authorization } = request.headers
    const isForeign = origin !== undefined && origin !== request.ownOrigin
    if (isForeign) delete request.headers.cookie
    if (SAFE_METHODS.has(request.method) || showsKey(request)) return
    if (isForeign) throw foreign(request, origin)
    if (origin !== undefined || authorization !== undefined || sessionCookie.read(request.headers.cookie) === null)
      return
    throw new HttpError('ORIGIN_REQUIRED', 'A request with a session cookie needs an Origin header.')
  }
}

/** The answer to our own page, opened at another address than PUBLIC_URL, names the address where it works. */
function foreign({ host, ownOrigin }: FastifyRequest, origin: string): HttpError {
  const isOurPage = URL.canParse(origin) && new URL(origin).host === host
  const detail = isOurPage
    ? `This server is used at ${ownOrigin}. Open it there. If ${origin} is its address, the administrator has to set PUBLIC_URL to that.`
    : 'Requests from other sites need an API key.'
  return new HttpError('FOREIGN_ORIGIN', detail)
}

/** Whether a request carries a Bearer key, valid or not. */
export function showsKey({ headers }: FastifyRequest): boolean {
  return BEARER.test(headers.authorization ?? '')
}

/**
 * Sets `request.ownOrigin` (the origin of our pages in the browser) and `request.linkOrigin` (what links are built with).
 * Without PUBLIC_URL the first follows the Host header. The second does so only for names that no one else can own (localhost,
 * IP addresses, HOST, the name of this machine); otherwise it is the local address of the connection. A server on loopback
 * without a proxy refuses every other name, against DNS rebinding (a foreign name that resolves to 127.0.0.1).
 * @throws HttpError MALFORMED_BODY, UNKNOWN_HOST
 */
function createSetOrigins({ publicUrl, host, trustProxy, logger }: OriginDeps) {
  const onLoopback = LOOPBACK.test(host) && trustProxy === false
  const own = new Set([host, `[${host}]`, hostname(), `${hostname()}.local`].map((name) => name.toLowerCase()))
  const isKnown = (name: string) =>
    own.has(name) || (onLoopback ? LOOPBACK.test(name) : isAddress(name)) || /(^|\.)localhost$/.test(name)
  let warned = false

  return (request: FastifyRequest): void => {
    if (countOf(request.raw.rawHeaders, 'host') > 1) throw malformed('The request has more than one Host header.')
    const asked = request.host
    const name = asked ? nameIn(asked) : ''
    if (publicUrl) {
      request.ownOrigin = publicUrl.origin
      request.linkOrigin = publicUrl.origin
      return
    }
    const arrived = `${request.protocol}://${localAddressOf(request)}`
    request.ownOrigin = asked ? `${request.protocol}://${asked}` : arrived
    request.linkOrigin = asked && isKnown(name) ? request.ownOrigin : arrived
    if (!asked || isKnown(name)) return
    if (onLoopback) throw unknown(asked, request.ownOrigin)
    if (warned) return
    warned = true
    logger.warn(
      { host: asked },
      `Links do not use the host name of requests, because any client can send any name. Set PUBLIC_URL=${request.ownOrigin} if people use that address.`,
    )
  }
}

/** The host without its port, in lower case. @throws HttpError MALFORMED_BODY when it is not a valid host */
function nameIn(host: string): string {
  const [, name, address] = HOST.exec(host) ?? []
  const found = name ?? address
  if (found === undefined) throw malformed('The Host header is not a host name with an optional port.')
  return found.toLowerCase()
}

function isAddress(name: string): boolean {
  return IPV4.test(name) || name.startsWith('[')
}

/** How often a header occurs; in `rawHeaders` names and values alternate. */
function countOf(rawHeaders: readonly string[], name: string): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.length === name.length && rawHeaders[index]?.toLowerCase() === name) count += 1
  }
  return count
}

function localAddressOf({ socket: { localAddress = '127.0.0.1', localPort } }: FastifyRequest): string {
  const address = localAddress.replace(/^::ffff:/i, '')
  return `${address.includes(':') ? `[${address}]` : address}:${localPort}`
}

function malformed(detail: string): HttpError {
  return new HttpError('MALFORMED_BODY', detail)
}

function unknown(host: string, origin: string): HttpError {
  const detail = `This server does not answer to the host name ${host}. To use that name, the administrator must set PUBLIC_URL=${origin}.`
  return new HttpError('UNKNOWN_HOST', detail)
}

/**
 * Redirects browsers that reached the proxy over HTTP to the HTTPS address. Only when the proxy sends X-Forwarded-Proto: without
 * it the scheme is unknown, and guessing would cause a redirect loop.
 */
export function redirectToHttps(app: FastifyInstance, publicUrl: URL | null): void {
  if (publicUrl?.protocol !== 'https:') return
  app.addHook('onRequest', async (request, reply) => {
    if (isInsecureNavigation(request)) return reply.redirect(publicUrl.origin + request.url, 308)
  })
}

function isInsecureNavigation({ method, url, headers }: FastifyRequest): boolean {
  const isNavigation = (method === 'GET' || method === 'HEAD') && url.startsWith('/') && !PROBES.has(url)
  const nearest = String(headers['x-forwarded-proto'] ?? '')
    .split(',')
    .at(-1)
    ?.trim()
  return isNavigation && nearest?.toLowerCase() === 'http'
}

export type BodyRate = {
  readonly checkEveryMs: number
  readonly stallMs: number
  readonly minimumBytes: number
  /** Time limit (ms) for a whole JSON body. */
  readonly wholeMs: number
}

/** A body must deliver 1 KiB per 30 s, a JSON body all of itself within 15 s. Otherwise uploads have no time limit. */
export const BODY_RATE: BodyRate = { checkEveryMs: 1_000, stallMs: 30_000, minimumBytes: 1024, wholeMs: 15_000 }

type BodyGuardDeps = {
  readonly rate: BodyRate
  readonly slow: SlowCount
  /** Sent with every response. */
  readonly headers: readonly (readonly [string, string])[]
}

type Watched = {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly startedAt: number
  bytes: number
  since: number
}

type Reason = { readonly code: ProblemCode; readonly detail: string }

const REASONS: Readonly<Record<string, Reason>> = {
  HPE_HEADER_OVERFLOW: { code: 'HEADERS_TOO_LARGE', detail: 'The headers of the request are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: 'REQUEST_TIMEOUT',
    detail: 'The request did not arrive in time. Please try again.',
  },
}
const MALFORMED: Reason = { code: 'MALFORMED_BODY', detail: 'This is not a valid HTTP request.' }
/** Time (ms) for a refused client to read the response before its connection is closed. */
const LINGER_MS = 1_000

type Headers = readonly (readonly [string, string])[]

/** Refuses compressed bodies (415) and ends requests whose body stalls (408, then the connection is closed). */
export function guardBodies(app: FastifyInstance, deps: BodyGuardDeps): void {
  const watched = new Set<Watched>()
  const timer = setInterval(() => endStalled(watched, deps), deps.rate.checkEveryMs).unref()
  app.addHook('onClose', async () => clearInterval(timer))
  app.addHook('onRequest', async (request, reply) => {
    if (!hasBody(request)) return
    // Refused bodies are watched too: the connection keeps receiving them.
    const now = Date.now()
    watched.add({ request, reply, bytes: request.raw.socket.bytesRead, startedAt: now, since: now })
    refuseCompressed(request)
  })
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function refuseCompressed({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding']
  if (encoding === undefined || encoding === 'identity') return
  throw new HttpError('UNSUPPORTED_MEDIA_TYPE', 'Compressed request bodies are not accepted.')
}

function endStalled(watched: Set<Watched>, deps: BodyGuardDeps): void {
  const now = Date.now()
  for (const entry of watched) {
    const { raw } = entry.request
    if (raw.complete || raw.socket.destroyed) watched.delete(entry)
    else if (isStalled(entry, deps.rate, now)) {
      watched.delete(entry)
      refuse(entry, deps)
    }
  }
}

function isStalled(entry: Watched, { stallMs, minimumBytes, wholeMs }: BodyRate, now: number): boolean {
  const { raw } = entry.request
  // Bytes that wait for our own reader are not the client's fault; after the response they are no longer needed.
  const hasUnread = raw.readableLength > 0 && !entry.reply.raw.headersSent
  if (!hasUnread && now - entry.startedAt >= wholeMs && isJson(entry.request)) return true
  const isBusy = hasUnread || raw.socket.bytesRead - entry.bytes >= minimumBytes
  if (isBusy) Object.assign(entry, { bytes: raw.socket.bytesRead, since: now })
  return !isBusy && now - entry.since >= stallMs
}

function isJson({ headers }: FastifyRequest): boolean {
  return /^application\/([\w.-]+\+)?json\b/i.test(headers['content-type'] ?? '')
}

function refuse({ request: { raw }, reply }: Watched, { slow, headers }: BodyGuardDeps): void {
  slow.count('stalledBodies')
  if (reply.raw.headersSent) raw.socket.destroy()
  else
    refuseConnection(
      raw.socket,
      headers,
      problemOf('REQUEST_TIMEOUT', 'The request body did not arrive in time. Please try again.'),
    )
}

/** Node's `clientError` handler: answers what could not be parsed as HTTP, with the usual headers, and closes the connection. */
export function createClientErrorHandler(headers: Headers) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    const { code, detail } = REASONS[error.code ?? ''] ?? MALFORMED
    refuseConnection(socket, headers, problemOf(code, detail))
  }
}

/** Writes a response directly to a socket on which none was started, and closes the connection in any case. */
function refuseConnection(socket: Socket, headers: Headers, problem: Problem): void {
  const body = JSON.stringify(problem)
  const lines = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    'content-type: application/problem+json',
    'cache-control: no-store',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
  // Not immediately: a reset could discard the response.
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
