import type { FastifyBaseLogger, FastifyInstance } from 'fastify'

export type SlowEvent = 'stalledReaders' | 'stalledBodies' | 'refusedConnections'

/** Counts connections that were closed because the other side did not go on: ordinary events, so one line tells of many. */
export type SlowCount = { count(event: SlowEvent): void }

/** Logs what was counted at most every `everyMs`, without a stack, and only when there was something. */
export function createSlowCount(app: FastifyInstance, everyMs: number, logger: FastifyBaseLogger = app.log): SlowCount {
  let counts: Partial<Record<SlowEvent, number>> = {}
  const tell = () => {
    if (Object.keys(counts).length > 0) logger.info(counts, 'Connections were closed that did not go on')
    counts = {}
  }
  const timer = setInterval(tell, everyMs).unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    tell()
  })
  return {
    count(event) {
      counts[event] = (counts[event] ?? 0) + 1
    },
  }
}
