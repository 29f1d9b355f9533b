import { describe, expect, it } from 'vitest'
import { graphError, graphErrorCode, graphFailure } from '../../../server/providers/onedrive/errors.ts'
import { isName } from '../../../server/providers/onedrive/files.ts'

const body = (code: string, ...inner: string[]): object => ({
  error: { code, message: 'For people.', ...(inner.length > 0 && { innerError: nested(inner) }) },
})
const nested = ([code, ...rest]: string[]): object => ({ code, ...(rest.length > 0 && { innerError: nested(rest) }) })

describe('errors of Graph', () => {
  it('have one table, by the most specific known code', () => {
    const cases = [
      [401, body('InvalidAuthenticationToken'), 'AuthExpired'],
      [401, body('unauthenticated'), 'AuthExpired'],
      [401, 'not JSON', 'AuthExpired'],
      [403, body('accessDenied'), 'Forbidden'],
      [403, body('accessDenied', 'sharingDisabled'), 'Forbidden'],
      [403, body('quotaLimitReached'), 'QuotaExceeded'],
      [507, body('quotaLimitReached'), 'QuotaExceeded'],
      [507, undefined, 'QuotaExceeded'],
      [404, body('itemNotFound'), 'NotFound'],
      [404, undefined, 'NotFound'],
      [409, body('nameAlreadyExists'), 'Conflict'],
      [409, body('upload_name_conflict'), 'Conflict'],
      [409, body('resourceModified'), 'Conflict'],
      [412, body('resourceModified'), 'Conflict'],
      [400, body('invalidRequest', 'pathIsTooLong'), 'BadName'],
      [400, body('invalidRequest', 'notSupported'), 'Forbidden'],
      [400, body('invalidRequest', 'unknownToUs', 'maxFileSizeExceeded'), 'TooLarge'],
      [413, body('invalidRequest'), 'TooLarge'],
      [400, body('invalidRequest'), 'Permanent'],
      [400, body('malwareDetected'), 'Forbidden'],
      [410, body('resyncRequired'), 'CursorReset'],
      [410, body('resyncChangesUploadDifferences'), 'CursorReset'],
      [423, body('resourceLocked'), 'Transient'],
      [429, body('activityLimitReached', 'throttledRequest'), 'RateLimited'],
      [429, body('TooManyRequests'), 'RateLimited'],
      [509, undefined, 'RateLimited'],
      [500, body('generalException'), 'Transient'],
      // An outage says nothing of the item.
      [500, body('itemNotFound'), 'Transient'],
      [503, body('serviceNotAvailable'), 'Transient'],
      [504, undefined, 'Transient'],
      [418, body('somethingNew'), 'Permanent'],
    ] as const
    for (const [status, answer, code] of cases) {
      expect(graphErrorCode(graphFailure(status, answer)), `${status} ${JSON.stringify(answer)}`).toBe(code)
    }
  })

  it('are rate limits when the service is busy and says for how long', () => {
    const failure = graphFailure(503, body('serviceNotAvailable'), 9000)
    expect(graphErrorCode(failure)).toBe('RateLimited')
    const error = graphError(failure, { provider: 'onedrive', operation: 'list' })
    expect([error.detail.retryAfterMs, error.where.status]).toEqual([9000, 503])
  })

  it('of a sign-in service that fails are no end of the account', () => {
    const answer = { error: { code: 'unauthenticated', message: 'Unable to initialize RPS' } }
    expect(graphErrorCode(graphFailure(401, answer))).toBe('Transient')
  })

  it('say of malware that it is, and repeat no message of the service', () => {
    const answer = { error: { code: 'malwareDetected', message: 'secret.docx of ann@example.com' } }
    const error = graphError(graphFailure(403, answer), { provider: 'onedrive', operation: 'get' })
    expect(error.detail).toEqual({ message: 'OneDrive answered 403 (malwareDetected).', isFlagged: true })
  })

  it('read the inner error in both spellings', () => {
    const answer = { error: { code: 'a', innererror: { code: 'b', innerError: { code: 'c' } } } }
    expect(graphFailure(400, answer).codes).toEqual(['c', 'b', 'a'])
  })
})

it('names that OneDrive refuses are known before', () => {
  const refused = [
    '',
    '.',
    '..',
    ' a',
    'a ',
    'a.',
    'a"b',
    'a*b',
    'a:b',
    'a<b',
    'a>b',
    'a?b',
    'a/b',
    'a\\b',
    'a|b',
    'a\u0001',
  ]
  const reserved = [
    'CON',
    'nul',
    'com7',
    'LPT0',
    '.lock',
    'Desktop.ini',
    '~$draft.docx',
    'a_VTI_b',
    '\ud800',
    'x'.repeat(256),
  ]
  for (const name of [...refused, ...reserved]) expect(isName(name), JSON.stringify(name)).toBe(false)
  const kept = ['a', '~a', 'con.txt', "it's #1 100% + & = ü 文件 🎉.txt", '.hidden', 'a..b', 'x'.repeat(255), 'COM10']
  for (const name of kept) expect(isName(name), JSON.stringify(name)).toBe(true)
})
