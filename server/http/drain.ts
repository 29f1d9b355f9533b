import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

const LONGEST_MS = 10_000
const LOOK_EVERY_MS = 20

/** Before closing the app breaks all connections: lets what is being answered finish, within 10 s. Live streams would never. */
export function drainBeforeClose(app: FastifyInstance): void {
  const open = new Set<ServerResponse>()
  app.addHook('onRequest', async (_request, { raw }) => {
    open.add(raw)
    raw.once('close', () => open.delete(raw))
  })
  app.addHook('preClose', async () => {
    const until = Date.now() + LONGEST_MS
    while ([...open].some(isAnswering) && Date.now() < until) await sleep(LOOK_EVERY_MS)
  })
}

function isAnswering(response: ServerResponse): boolean {
  return !String(response.getHeader('content-type')).startsWith('text/event-stream')
}
