import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { problemOf, sendProblem } from '../rest/errors.ts'

/** Named checks ("database", "migrations", "staging"); each rejects when the server cannot serve requests. */
export type ReadyChecks = Readonly<Record<string, () => Promise<unknown>>>

/** Time limit (ms) of a readiness check: probes do not wait long, and a stalled database never answers. */
const READY_MS = 2_000
/** Of the 28 s that a server has to stop (main.ts); the rest is for jobs, transfers and the database. */
const DRAIN_MS = 18_000
const POLL_INTERVAL_MS = 20

/** `/health`: the process is running. `/ready`: it can serve requests; answers within two seconds even if a check hangs. */
export async function serveHealth(app: FastifyInstance, checks: ReadyChecks, readyMs = READY_MS): Promise<void> {
  const bounded = Object.values(checks).map((check) => withTimeout(check, readyMs))
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

/** Limits a check to `ms`. One that is still running is reused: hanging checks must not accumulate. */
function withTimeout(check: () => Promise<unknown>, ms: number): () => Promise<unknown> {
  let running: Promise<unknown> | null = null
  return async () => {
    running ??= check().finally(() => {
      running = null
    })
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`It did not answer within ${ms} ms.`)), ms)
    })
    try {
      return await Promise.race([running, timeout])
    } finally {
      clearTimeout(timer)
    }
  }
}

/**
 * When the app is closed: ends live streams, whose clients then continue at another server, and waits up to 18 s for other responses in
 * progress before connections are closed. New requests, `/ready` included, are refused (503, Retry-After), and every response closes
 * its connection, so that the next request reaches another server.
 */
export function drainBeforeClose(app: FastifyInstance): void {
  const open = new Set<ServerResponse>()
  let isDraining = false
  app.addHook('onRequest', async (_request, reply) => {
    if (isDraining)
      return sendProblem(reply, problemOf('NOT_READY', 'This server is shutting down. Please try again in a moment.'))
    const { raw } = reply
    open.add(raw)
    raw.once('close', () => open.delete(raw))
  })
  app.addHook('onSend', async (_request, reply) => {
    if (isDraining) reply.header('connection', 'close')
  })
  app.addHook('preClose', async () => {
    isDraining = true
    const until = Date.now() + DRAIN_MS
    do {
      // Clients reconnect after an aborted stream, but not after a completed one.
      for (const response of open) if (isLive(response)) response.destroy()
      if ([...open].every(isLive)) return
      await sleep(POLL_INTERVAL_MS)
    } while (Date.now() < until)
  })
}

/** A stream that does not end by itself. */
function isLive(response: ServerResponse): boolean {
  return String(response.getHeader('content-type')).startsWith('text/event-stream')
}
