import { ProviderError, type ProviderErrorCode, type ProviderErrorWhere } from '../errors.ts'

const BY_STATUS: Readonly<Record<number, ProviderErrorCode>> = {
  401: 'AuthExpired',
  403: 'Forbidden',
  404: 'NotFound',
  408: 'Transient',
  // The folder that should contain the entry is missing.
  409: 'NotFound',
  410: 'NotFound',
  412: 'Conflict',
  413: 'TooLarge',
  414: 'BadName',
  // Locked by another program, or the result of such a lock: it is released later.
  423: 'Transient',
  424: 'Transient',
  425: 'Transient',
  429: 'RateLimited',
  501: 'Permanent',
  507: 'QuotaExceeded',
  // The bandwidth of a hosting plan is used up.
  509: 'RateLimited',
}

/** Exceptions of sabre/dav, which Nextcloud, ownCloud and others report in the body: they are more precise than the status. */
const BY_EXCEPTION: Readonly<Record<string, ProviderErrorCode>> = {
  InvalidPath: 'BadName',
  FileLocked: 'Transient',
  InsufficientStorage: 'QuotaExceeded',
  EntityTooLarge: 'TooLarge',
  BadChecksum: 'Corrupt',
  UnsupportedMediaType: 'Forbidden',
}

/** Maps an error response of a WebDAV server to a ProviderError code. `exception`: as `exceptionIn` reads it. */
export function davErrorCode(status: number, exception: string | null): ProviderErrorCode {
  const known = exception !== null && Object.hasOwn(BY_EXCEPTION, exception) ? BY_EXCEPTION[exception] : undefined
  return known ?? BY_STATUS[status] ?? (status >= 500 || status < 400 ? 'Transient' : 'Permanent')
}

/** The class name of sabre/dav's exception in the body of an error response; null where there is none. */
export function exceptionIn(body: string): string | null {
  return /<s:exception>(?:[\w\\]*\\)?(\w{1,64})<\/s:exception>/.exec(body.slice(0, 16_384))?.[1] ?? null
}

/** Without the server's messages, which can contain names. */
export function davError(
  status: number,
  exception: string | null,
  where: ProviderErrorWhere,
  retryAfterMs: number | null,
): ProviderError {
  const reason = exception === null ? '' : ` (${exception})`
  const detail = { message: `The server answered ${status}${reason}.`, ...(retryAfterMs !== null && { retryAfterMs }) }
  return new ProviderError(davErrorCode(status, exception), { ...where, status }, detail)
}
