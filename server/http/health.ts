import type { FastifyInstance } from 'fastify'
import { problemOf, sendProblem } from '../rest/errors.ts'

/** Named checks ("database", "migrations", "staging"); each rejects when the server cannot serve for its sake. */
export type ReadyChecks = Readonly<Record<string, () => Promise<unknown>>>

/** Whoever asks has little patience, and a database that stands still answers nobody. */
const READY_MS = 2_000

/** `/health`: the process lives. `/ready`: it can serve; it answers within two seconds whatever a check does. */
export async function serveHealth(app: FastifyInstance, checks: ReadyChecks, readyMs = READY_MS): Promise<void> {
  const bounded = Object.values(checks).map((check) => inTime(check, readyMs))
  const schema = { hide: true }
  app.get('/health', { schema }, async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  )

  app.get('/ready', { schema }, async (request, reply) => {
    const outcomes = await Promise.allSettled(bounded.map((check) => check()))
    const failed = Object.keys(checks).filter((name, index) => {
      const outcome = outcomes[index]
      if (outcome?.status === 'rejected') request.log.warn({ err: outcome.reason, check: name }, 'not ready')
      return outcome?.status === 'rejected'
    })
    if (failed.length > 0) return sendProblem(reply, problemOf('NOT_READY', `Not ready: ${failed.join(', ')}.`))
    return reply.header('cache-control', 'no-store').send({ status: 'ready', checks: Object.keys(checks) })
  })
}

/** A check that is still under way is not begun again: what hangs must not pile up. */
function inTime(check: () => Promise<unknown>, ms: number): () => Promise<unknown> {
  let running: Promise<unknown> | null = null
  return async () => {
    running ??= check().finally(() => {
      running = null
    })
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`It did not answer within ${ms} ms.`)), ms)
    })
    try {
      return await Promise.race([running, late])
    } finally {
      clearTimeout(timer)
    }
  }
}
