import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { problemOf, sendProblem } from '../rest/errors.ts'

/** Of the 28 s that a server has to end (main.ts): the rest is for jobs, transfers and the database. */
const LONGEST_MS = 18_000
const LOOK_EVERY_MS = 20

/**
 * Before closing the app breaks all connections: lets what is being answered finish, within 18 s. Live streams would never. What is asked
 * meanwhile is refused (503, Retry-After), and every answer closes its connection, so that the next request finds another server.
 */
export function drainBeforeClose(app: FastifyInstance): void {
  const open = new Set<ServerResponse>()
  let isDraining = false
  app.addHook('onRequest', async (_request, reply) => {
    if (isDraining)
      return sendProblem(reply, problemOf('NOT_READY', 'This server is being stopped. Please try again in a moment.'))
    const { raw } = reply
    open.add(raw)
    raw.once('close', () => open.delete(raw))
  })
  app.addHook('onSend', async (_request, reply) => {
    if (isDraining) reply.header('connection', 'close')
  })
  app.addHook('preClose', async () => {
    isDraining = true
    const until = Date.now() + LONGEST_MS
    while ([...open].some(isAnswering) && Date.now() < until) await sleep(LOOK_EVERY_MS)
  })
}

function isAnswering(response: ServerResponse): boolean {
  return !String(response.getHeader('content-type')).startsWith('text/event-stream')
}
