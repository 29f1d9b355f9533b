import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Cause, REQUEST_ID, type SpanContext, spanOf, withCause } from '../lib/cause.ts'
import type { TrustsAddress } from './proxies.ts'

/** One request for metrics and traces, from its headers to the end of its response. */
export type WatchedRequest = {
  /** The span that belongs to it; null: it is not traced. */
  readonly span: SpanContext | null
  /** Its response is a live stream. */
  isStream(): void
  /** Called once, when the response has ended or the connection broke. */
  end(outcome: RequestOutcome): void
}

export type RequestOutcome = {
  /** Null: the connection broke before the response was complete. */
  readonly status: number | null
  readonly receivedBytes: number
  readonly sentBytes: number
}

export type RequestStart = {
  readonly method: string
  /** The pattern of the route, never the path; null: no route matches. */
  readonly route: string | null
  readonly requestId: string
  /** The span of a trusted proxy that the request belongs to. */
  readonly parent: SpanContext | null
}

export type RequestWatch = { begin(request: RequestStart): WatchedRequest }

export type FollowDeps = {
  readonly watch: RequestWatch | null
  readonly followsCauses: boolean
  readonly trusts: TrustsAddress
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What everything that this request leads to is logged and traced with. */
    cause: Cause | null
  }
}

/** Returns the id of a request: that of a trusted proxy, else a new one. Clients may not choose it: ids must not repeat in the log. */
export function createRequestIds(trusts: TrustsAddress): (request: IncomingMessage) => string {
  return (request) => {
    const given = request.headers['x-request-id']
    const isGood = typeof given === 'string' && REQUEST_ID.test(given) && isFromProxy(request, trusts)
    return isGood ? given : randomUUID()
  }
}

function isFromProxy({ socket }: IncomingMessage, trusts: TrustsAddress): boolean {
  return socket?.remoteAddress !== undefined && trusts(socket.remoteAddress)
}

/** Must be called before other hooks are added, so that refused requests are counted too. Adds nothing when there is nothing to do. */
export function followRequests(app: FastifyInstance, { watch, followsCauses, trusts }: FollowDeps): void {
  if (!watch && !followsCauses) return
  app.decorateRequest('cause', null)
  app.addHook('onRequest', (request, reply, done) => {
    const watched = watch?.begin(startOf(request, trusts)) ?? null
    if (watched) watchEnd(request.raw, reply.raw, watched)
    if (!followsCauses) return done()
    request.cause = { requestId: request.id, span: watched?.span ?? null }
    withCause(request.cause, done)
  })
  // Reading a body loses the cause: what follows runs on events of the connection.
  if (followsCauses) app.addHook('preValidation', (request, _reply, done) => withCause(request.cause, done))
}

function startOf(request: FastifyRequest, trusts: TrustsAddress): RequestStart {
  const { method, id: requestId, routeOptions, raw } = request
  const given = raw.headers.traceparent
  const parent = typeof given === 'string' && isFromProxy(raw, trusts) ? spanOf(given) : null
  return { method, route: routeOptions.url ?? null, requestId, parent }
}

function watchEnd(request: IncomingMessage, response: ServerResponse, watched: WatchedRequest): void {
  // When a response has ended, it has no socket any more.
  const { socket } = request
  const { bytesRead, bytesWritten } = socket
  response.once('close', () => {
    watched.end({
      status: response.writableFinished ? response.statusCode : null,
      receivedBytes: bodyBytes(request, socket.bytesRead - bytesRead),
      sentBytes: socket.bytesWritten - bytesWritten,
    })
  })
  const { writeHead } = response
  response.writeHead = (...args: unknown[]) => {
    const result = Reflect.apply(writeHead, response, args)
    if (String(response.getHeader('content-type')).startsWith('text/event-stream')) watched.isStream()
    return result
  }
}

/** The start of a body arrives with the headers, so of a complete one its length is used. */
function bodyBytes({ complete, headers }: IncomingMessage, read: number): number {
  const length = Number(headers['content-length'] ?? Number.NaN)
  return complete && length >= 0 ? length : read
}
