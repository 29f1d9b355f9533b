import type { FastifyInstance } from 'fastify'

/** So much of a body is taken and dropped after an early answer: a client that is still sending would not see the answer otherwise. */
const MOST_DROPPED_BYTES = 64 * 1024 * 1024

/**
 * Of an answer given before a large or endless body was read, the connection is closed. Other bodies are read to their end:
 * Node does so by itself only for bodies that nobody had begun to read, and the connection would hang.
 */
export function closeAfterEarlyAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async ({ raw }, reply) => {
    if (raw.readableEnded) return
    const announced = Number(raw.headers['content-length'] ?? (raw.complete ? 0 : Number.POSITIVE_INFINITY))
    if (announced > MOST_DROPPED_BYTES) reply.header('connection', 'close')
    raw.resume()
  })
}
