import type { FastifyInstance } from 'fastify'
import { problemOf, sendProblem } from '../rest/errors.ts'

/** Named checks ("database", "migrations", "staging"); each rejects when the server cannot serve for its sake. */
export type ReadyChecks = Readonly<Record<string, () => Promise<unknown>>>

/** `/health`: the process lives. `/ready`: it can serve. */
export async function serveHealth(app: FastifyInstance, checks: ReadyChecks): Promise<void> {
  const schema = { hide: true }
  app.get('/health', { schema }, async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  )

  app.get('/ready', { schema }, async (request, reply) => {
    const outcomes = await Promise.allSettled(Object.values(checks).map((check) => check()))
    const failed = Object.keys(checks).filter((name, index) => {
      const outcome = outcomes[index]
      if (outcome?.status === 'rejected') request.log.warn({ err: outcome.reason, check: name }, 'not ready')
      return outcome?.status === 'rejected'
    })
    if (failed.length > 0) return sendProblem(reply, problemOf('NOT_READY', `Not ready: ${failed.join(', ')}.`))
    return reply.header('cache-control', 'no-store').send({ status: 'ready', checks: Object.keys(checks) })
  })
}
