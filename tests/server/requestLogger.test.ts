import { describe, expect, it, vi } from 'vitest'
import { createRequestLogger } from '../../server/http/app.ts'
import { createLogger } from '../../server/lib/logger.ts'

function parent() {
  const lines: string[] = []
  const logger = createLogger('trace', { write: (line: string) => lines.push(line) })
  return { logger, child: vi.spyOn(logger, 'child'), read: () => lines.map((line) => JSON.parse(line)) }
}

describe('the logger of a request', () => {
  it('is not made for a request that logs nothing', () => {
    const { logger, child } = parent()
    createRequestLogger(logger, { reqId: 'req-1' })
    expect(child).not.toHaveBeenCalled()
  })

  it('is made once, and says whose it is in every line', () => {
    const { logger, child, read } = parent()
    const log = createRequestLogger(logger, { reqId: 'req-1' })
    log.error({ err: new Error('broken') }, 'request %s', 'failed')
    log.warn('late')
    expect(child).toHaveBeenCalledOnce()
    log.child({ part: 2 }).info({ token: 'hunter2' }, 'more')
    expect(read()).toMatchObject([
      { level: 'error', reqId: 'req-1', msg: 'request failed', err: { message: 'broken' } },
      { level: 'warn', reqId: 'req-1', msg: 'late' },
      { level: 'info', reqId: 'req-1', part: 2, token: '[redacted]' },
    ])
  })

  it('has all that Fastify asks for, and a level of its own', () => {
    const { logger, read } = parent()
    const log = createRequestLogger(logger, { reqId: 'req-1' })
    for (const level of ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const) log[level](level)
    expect(read().map(({ msg }) => msg)).toEqual(['fatal', 'error', 'warn', 'info', 'debug', 'trace'])
    log.level = 'error'
    log.info('not this one')
    expect(log.level).toBe('error')
    expect(logger.level).toBe('trace')
    expect(read()).toHaveLength(6)
  })
})
