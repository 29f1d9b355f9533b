import { describe, expect, it } from 'vitest'
import { createLogger } from '../../../server/lib/logger.ts'

function logged(details: object): string {
  const lines: string[] = []
  createLogger('info', { write: (line: string) => lines.push(line) }).info(details, 'said')
  return lines.join('')
}

describe('the log', () => {
  it('is one JSON line per event with level, time and message', () => {
    const line = JSON.parse(logged({ area: 'jobs' })) as Record<string, string>
    expect(line).toMatchObject({ level: 'info', area: 'jobs', msg: 'said' })
    expect(line.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it.each([
    { password: 'hunter2' },
    { user: { password: 'hunter2' } },
    { request: { headers: { cookie: 'hunter2' } } },
    { response: { headers: { 'set-cookie': 'hunter2' } } },
    { headers: { authorization: 'hunter2' } },
    { token: 'hunter2' },
    { config: { databaseUrl: 'hunter2' } },
    { config: { secretKeys: ['hunter2'] } },
    { config: { google: { clientSecret: 'hunter2' } } },
    { account: { credentials: { refreshToken: 'hunter2' } } },
    { err: { body: { access_token: 'hunter2' } } },
    { grant: { verifier: 'hunter2' } },
  ])('keeps the secret in %o', (details) => {
    expect(logged(details)).toContain('[redacted]')
    expect(logged(details)).not.toContain('hunter2')
  })
})
