import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HttpError, problemOf } from '../rest/errors.ts'
import { refuseConnection } from './clientError.ts'
import type { SlowCount } from './slowCount.ts'

export type BodyRate = {
  readonly checkEveryMs: number
  readonly stallMs: number
  readonly minimumBytes: number
  /** How long a JSON body may take in all. */
  readonly wholeMs: number
}

/** A body has to bring 1 KiB in each half minute, and JSON all of itself in 15 s; long uploads may take as long as they like otherwise. */
export const BODY_RATE: BodyRate = { checkEveryMs: 1_000, stallMs: 30_000, minimumBytes: 1024, wholeMs: 15_000 }

export type BodyGuardDeps = {
  readonly rate: BodyRate
  readonly slow: SlowCount
  /** Of every answer. */
  readonly headers: readonly (readonly [string, string])[]
}

type Watched = {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly begun: number
  bytes: number
  since: number
}

/** Refuses compressed bodies (415) and ends requests whose body does not come (408, and the connection is closed). */
export function guardBodies(app: FastifyInstance, deps: BodyGuardDeps): void {
  const watched = new Set<Watched>()
  const timer = setInterval(() => endStalled(watched, deps), deps.rate.checkEveryMs).unref()
  app.addHook('onClose', async () => clearInterval(timer))
  app.addHook('onRequest', async (request, reply) => {
    if (!hasBody(request)) return
    // Also of a body that is refused: the connection goes on taking it.
    const now = Date.now()
    watched.add({ request, reply, bytes: request.raw.socket.bytesRead, begun: now, since: now })
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
  // Bytes that wait to be read by us are no fault of the client. After an answer nobody wants them any more.
  const waits = raw.readableLength > 0 && !entry.reply.raw.headersSent
  if (!waits && now - entry.begun >= wholeMs && isJson(entry.request)) return true
  const isBusy = waits || raw.socket.bytesRead - entry.bytes >= minimumBytes
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
      problemOf('REQUEST_TIMEOUT', 'The request body did not come in time. Please try again.'),
    )
}
