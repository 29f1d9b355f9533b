import { describe, expect, it } from 'vitest'
import { retryAfterMs } from '../../../server/providers/shared/http.ts'
import { tokenErrorCode } from '../../../server/providers/shared/oauth.ts'

describe('a refusal of a token endpoint', () => {
  const cases = [
    [400, 'invalid_grant', 'ReconnectNeeded'],
    [401, 'invalid_grant', 'ReconnectNeeded'],
    [403, 'invalid_grant', 'Permanent'],
    [400, 'interaction_required', 'ReconnectNeeded'],
    [400, 'invalid_client', 'Misconfigured'],
    [401, 'invalid_client', 'Misconfigured'],
    [401, 'unauthorized_client', 'Misconfigured'],
    [400, 'redirect_uri_mismatch', 'Misconfigured'],
    [400, 'invalid_request', 'Permanent'],
    [403, 'rate_limit_exceeded', 'RateLimited'],
    [429, 'invalid_grant', 'RateLimited'],
    [500, 'invalid_grant', 'Transient'],
    [503, null, 'Transient'],
    [400, null, 'Transient'],
    [407, null, 'Transient'],
    [200, 'bad_refresh_token', 'ReconnectNeeded'],
    [200, 'bad_verification_code', 'ReconnectNeeded'],
    [200, 'incorrect_client_credentials', 'Misconfigured'],
    [200, null, 'Transient'],
    [302, 'bad_refresh_token', 'Transient'],
  ] as const
  for (const [status, error, code] of cases) {
    it(`of ${status} ${error} is ${code}`, () => expect(tokenErrorCode(status, error)).toBe(code))
  }
})

describe('Retry-After', () => {
  it('is seconds, a date, or of no use', () => {
    const now = Date.parse('2026-11-21T12:00:00Z')
    expect(retryAfterMs('7', now)).toBe(7000)
    expect(retryAfterMs('0.5', now)).toBe(500)
    expect(retryAfterMs('Sat, 21 Nov 2026 12:00:09 GMT', now)).toBe(9000)
    expect(retryAfterMs('Sat, 21 Nov 2026 11:00:00 GMT', now)).toBe(0)
    for (const nothing of [null, '', ' ', 'soon']) expect(retryAfterMs(nothing, now)).toBeNull()
  })
})
