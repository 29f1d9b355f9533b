import type { FastifyBaseLogger } from 'fastify'

type Level = Exclude<keyof FastifyBaseLogger, 'child' | 'level' | 'msgPrefix'>

/**
 * Fastify's factory of the loggers that requests have. Each is made when it is first used: hardly any request logs anything,
 * and a logger that knows what to redact is a tenth of all that a small upload allocates.
 */
export function createRequestLogger(
  parent: FastifyBaseLogger,
  bindings: Parameters<FastifyBaseLogger['child']>[0],
  options?: Parameters<FastifyBaseLogger['child']>[1],
): FastifyBaseLogger {
  let made: FastifyBaseLogger | null = null
  const own = () => {
    made ??= parent.child(bindings, options)
    return made
  }
  const write =
    (level: Level) =>
    (...args: readonly unknown[]): void => {
      Reflect.apply(own()[level], own(), args)
    }
  return {
    get level() {
      return own().level
    },
    set level(level) {
      own().level = level
    },
    fatal: write('fatal'),
    error: write('error'),
    warn: write('warn'),
    info: write('info'),
    debug: write('debug'),
    trace: write('trace'),
    silent: write('silent'),
    child: (more, itsOptions) => own().child(more, itsOptions),
  }
}
