import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HttpError } from '../rest/errors.ts'

export type BodyRate = { readonly checkEveryMs: number; readonly stallMs: number; readonly minimumBytes: number }

/** A body has to bring 1 KiB in each half minute; long uploads may take as long as they like otherwise. */
export const BODY_RATE: BodyRate = { checkEveryMs: 5_000, stallMs: 30_000, minimumBytes: 1024 }

type Watched = { readonly request: FastifyRequest; bytes: number; since: number }

/** Refuses compressed bodies (415) and ends requests whose body does not come (the connection is closed). */
export function guardBodies(app: FastifyInstance, rate: BodyRate): void {
  const watched = new Set<Watched>()
  const timer = setInterval(() => endStalled(watched, rate), rate.checkEveryMs).unref()
  app.addHook('onClose', async () => clearInterval(timer))
  app.addHook('onRequest', async (request, reply) => {
    if (!hasBody(request)) return
    refuseCompressed(request)
    watch(watched, request, reply)
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

function watch(watched: Set<Watched>, request: FastifyRequest, reply: FastifyReply): void {
  const entry: Watched = { request, bytes: request.raw.socket.bytesRead, since: Date.now() }
  watched.add(entry)
  reply.raw.once('close', () => watched.delete(entry))
}

function endStalled(watched: Set<Watched>, { stallMs, minimumBytes }: BodyRate): void {
  const now = Date.now()
  for (const entry of watched) {
    const { raw } = entry.request
    if (raw.complete) {
      watched.delete(entry)
      continue
    }
    // Bytes that wait to be read by us are no fault of the client.
    const busy = raw.socket.bytesRead - entry.bytes >= minimumBytes || raw.readableLength > 0
    if (busy) Object.assign(entry, { bytes: raw.socket.bytesRead, since: now })
    else if (now - entry.since >= stallMs) raw.destroy(new Error('The request body stopped coming.'))
  }
}
