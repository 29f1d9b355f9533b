import { ProviderError, type ProviderErrorCode, type ProviderErrorWhere } from '../errors.ts'

/** An error response of Microsoft Graph. */
export type GraphFailure = {
  readonly status: number
  /** The codes of the error and of the errors in it, the most specific first. */
  readonly codes: readonly string[]
  readonly message: string | null
  /** The pause that it asks for (ms). */
  readonly retryAfterMs: number | null
}

/** Codes of OneDrive (learn.microsoft.com/onedrive/developer/rest-api/concepts/errors) and of Graph. */
const BY_CODE: Readonly<Record<string, ProviderErrorCode>> = {
  activityLimitReached: 'RateLimited',
  throttledRequest: 'RateLimited',
  TooManyRequests: 'RateLimited',
  quotaLimitReached: 'QuotaExceeded',
  insufficientStorage: 'QuotaExceeded',
  maxItemCountExceeded: 'QuotaExceeded',
  maxDocumentCountExceeded: 'QuotaExceeded',
  maxFolderCountExceeded: 'QuotaExceeded',
  childItemCountExceeded: 'QuotaExceeded',
  maxFileSizeExceeded: 'TooLarge',
  maxStreamSizeExceeded: 'TooLarge',
  itemNotFound: 'NotFound',
  nameAlreadyExists: 'Conflict',
  upload_name_conflict: 'Conflict',
  resourceModified: 'Conflict',
  entityTagDoesNotMatch: 'Conflict',
  invalidPath: 'BadName',
  pathIsTooLong: 'BadName',
  pathTooDeep: 'BadName',
  resyncRequired: 'CursorReset',
  resyncApplyDifferences: 'CursorReset',
  resyncUploadDifferences: 'CursorReset',
  resyncChangesApplyDifferences: 'CursorReset',
  resyncChangesUploadDifferences: 'CursorReset',
  accessDenied: 'Forbidden',
  accessRestricted: 'Forbidden',
  notAllowed: 'Forbidden',
  notSupported: 'Forbidden',
  sharingDisabled: 'Forbidden',
  provisioningNotAllowed: 'Forbidden',
  malwareDetected: 'Forbidden',
  virusInfected: 'Forbidden',
  virusSuspicious: 'Forbidden',
  unauthenticated: 'AuthExpired',
  InvalidAuthenticationToken: 'AuthExpired',
  resourceBeingProvisioned: 'Transient',
  serviceReadOnly: 'Transient',
  serviceNotAvailable: 'Transient',
  generalException: 'Transient',
}

const BY_STATUS: Readonly<Record<number, ProviderErrorCode>> = {
  403: 'Forbidden',
  404: 'NotFound',
  408: 'Transient',
  409: 'Conflict',
  410: 'NotFound',
  412: 'Conflict',
  413: 'TooLarge',
  // Locked: open in an Office program.
  423: 'Transient',
  429: 'RateLimited',
  507: 'QuotaExceeded',
  // The bandwidth of the account is exhausted for now.
  509: 'RateLimited',
}

/** A failure of Microsoft's own sign-in service, which rclone repeats too. */
const SIGN_IN_FAILS = 'Unable to initialize RPS'
const FLAGGED = ['malwareDetected', 'virusInfected', 'virusSuspicious']

/** Maps an error of Graph to a ProviderError code, by its most specific known code. */
export function graphErrorCode({ status, codes, message, retryAfterMs }: GraphFailure): ProviderErrorCode {
  if (status === 401) return message?.includes(SIGN_IN_FAILS) ? 'Transient' : 'AuthExpired'
  // Throttling is reported in two ways, and calls during the pause prolong it.
  if (status === 503 && retryAfterMs !== null) return 'RateLimited'
  if (status >= 500) return BY_STATUS[status] ?? 'Transient'
  const known = codes.find((code) => Object.hasOwn(BY_CODE, code))
  return (known === undefined ? undefined : BY_CODE[known]) ?? BY_STATUS[status] ?? 'Permanent'
}

/** Reads `{ error: { code, message, innerError: { code, innerError … } } }`; of other bodies only the status is used. */
export function graphFailure(status: number, body: unknown, retryAfterMs: number | null = null): GraphFailure {
  const error = fieldOf(body, 'error')
  const message = fieldOf(error, 'message')
  return { status, codes: codesOf(error), message: typeof message === 'string' ? message : null, retryAfterMs }
}

/** Without Graph's messages, which may contain names and addresses. */
export function graphError(failure: GraphFailure, where: ProviderErrorWhere): ProviderError {
  const { status, codes, retryAfterMs } = failure
  const reason = codes.find((code) => /^\w{1,64}$/.test(code)) ?? 'no reason given'
  return new ProviderError(
    graphErrorCode(failure),
    { ...where, status },
    {
      message: `OneDrive answered ${status} (${reason}).`,
      ...(retryAfterMs !== null && { retryAfterMs }),
      ...(codes.some((code) => FLAGGED.includes(code)) && { isFlagged: true }),
    },
  )
}

/** Graph spells the inner error in two ways. */
function codesOf(error: unknown): readonly string[] {
  if (typeof error !== 'object' || error === null) return []
  const inner = codesOf(fieldOf(error, 'innerError') ?? fieldOf(error, 'innererror'))
  const code = fieldOf(error, 'code')
  return typeof code === 'string' ? [...inner, code] : inner
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
