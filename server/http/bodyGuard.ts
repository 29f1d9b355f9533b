import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HttpError, type Problem, type ProblemCode, problemOf } from '../rest/errors.ts'
import type { SlowCount } from './connections.ts'

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
