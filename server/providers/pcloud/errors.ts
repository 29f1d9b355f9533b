import { ProviderError, type ProviderErrorCode, type ProviderErrorWhere } from '../errors.ts'

/** By the `result` of a response, whose HTTP status is 200 (https://docs.pcloud.com/errors). */
const BY_RESULT: Readonly<Record<number, ProviderErrorCode>> = {
  1000: 'AuthExpired',
  2000: 'AuthExpired',
  2094: 'AuthExpired',
  2001: 'BadName',
  2010: 'BadName',
  2002: 'NotFound',
  2005: 'NotFound',
  2009: 'NotFound',
  // Of an upload session.
  2067: 'NotFound',
  2003: 'Forbidden',
  2004: 'Conflict',
  2043: 'Conflict',
  2008: 'QuotaExceeded',
  // The connection broke during an upload.
  2041: 'Transient',
  4000: 'RateLimited',
}

const BY_STATUS: Readonly<Record<number, ProviderErrorCode>> = {
  401: 'AuthExpired',
  403: 'Forbidden',
  404: 'NotFound',
  408: 'Transient',
  410: 'NotFound',
  413: 'TooLarge',
  429: 'RateLimited',
}

/** Maps a response of pCloud to a ProviderError code; null: success. */
export function pcloudErrorCode(status: number, result: number | null): ProviderErrorCode | null {
  if (status >= 500) return 'Transient'
  if (status >= 400) return BY_STATUS[status] ?? 'Permanent'
  if (result === 0) return null
  if (result === null || (result >= 5000 && result < 6000)) return 'Transient'
  // What the account's plan or the traffic of its links does not allow.
  return BY_RESULT[result] ?? (result >= 7000 && result < 8000 ? 'Forbidden' : 'Permanent')
}

/** Without pCloud's message, which may contain names. `result` null: the response is none of pCloud's. */
export function pcloudError(
  code: ProviderErrorCode,
  where: ProviderErrorWhere,
  { status, result, retryAfterMs }: { status: number; result: number | null; retryAfterMs: number | null },
): ProviderError {
  const reason = result === null ? `status ${status}` : `result ${result}`
  const detail = { message: `pCloud answered ${reason}.`, ...(retryAfterMs !== null && { retryAfterMs }) }
  return new ProviderError(code, { ...where, status }, detail)
}
