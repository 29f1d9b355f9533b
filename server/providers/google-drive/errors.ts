import { ProviderError, type ProviderErrorCode, type ProviderErrorWhere } from '../errors.ts'

/** An error response of Drive. */
export type DriveFailure = {
  readonly status: number
  readonly reason: string | null
  /** The invalid parameter. */
  readonly location: string | null
  readonly message: string | null
}

const BY_REASON: Readonly<Record<string, ProviderErrorCode>> = {
  authError: 'AuthExpired',
  // About the token's scopes, not about a file.
  insufficientPermissions: 'ReconnectNeeded',
  accessNotConfigured: 'Misconfigured',
  rateLimitExceeded: 'RateLimited',
  userRateLimitExceeded: 'RateLimited',
  sharingRateLimitExceeded: 'RateLimited',
  storageQuotaExceeded: 'QuotaExceeded',
  quotaExceeded: 'QuotaExceeded',
  teamDriveFileLimitExceeded: 'QuotaExceeded',
  numChildrenInNonRootLimitExceeded: 'QuotaExceeded',
  uploadTooLarge: 'TooLarge',
  exportSizeLimitExceeded: 'TooLarge',
  fileNotExportable: 'Permanent',
  dailyLimitExceeded: 'Forbidden',
  downloadQuotaExceeded: 'Forbidden',
  notFound: 'NotFound',
  fileIdInUse: 'Conflict',
  backendError: 'Transient',
  internalError: 'Transient',
}

const NOT_ENABLED =
  'The Google Drive API is not enabled in the project of this server. Its administrator has to enable it in the Google Cloud console, and to wait a few minutes.'

/** The limit of 750 GB per day and user. Drive reports it as a rate limit; only this message distinguishes it. */
const DAILY_UPLOAD_LIMIT = 'User rate limit exceeded.'

/** Maps an error of Drive to a ProviderError code. */
export function driveErrorCode({ status, reason, location, message }: DriveFailure): ProviderErrorCode {
  if (status === 401) return 'AuthExpired'
  if (reason === 'userRateLimitExceeded' && message === DAILY_UPLOAD_LIMIT) return 'Forbidden'
  if (location === 'pageToken' && status === 400) return 'CursorReset'
  const known = reason === null ? undefined : BY_REASON[reason]
  if (known) return known
  if (status === 408 || status >= 500) return 'Transient'
  if (status === 429) return 'RateLimited'
  if (status === 404 || status === 410) return 'NotFound'
  if (status === 409) return 'Conflict'
  if (status === 413) return 'TooLarge'
  return status === 403 ? 'Forbidden' : 'Permanent'
}

/** Reads `{ error: { code, message, errors: [{ reason, location }] } }`; missing fields are null. */
export function driveFailure(status: number, body: unknown): DriveFailure {
  const error = fieldOf(body, 'error')
  const all = fieldOf(error, 'errors')
  const first: unknown = Array.isArray(all) ? all[0] : undefined
  const text = (from: unknown, name: string): string | null => {
    const value = fieldOf(from, name)
    return typeof value === 'string' ? value : null
  }
  return {
    status,
    reason: text(first, 'reason'),
    location: text(first, 'location'),
    message: text(first, 'message') ?? text(error, 'message'),
  }
}

/** Without Drive's messages, which may contain names and email addresses. */
export function driveError(
  failure: DriveFailure,
  where: ProviderErrorWhere,
  retryAfterMs: number | null,
): ProviderError {
  const reason = /^\w{1,64}$/.test(failure.reason ?? '') ? failure.reason : 'no reason given'
  const message = `Google Drive answered ${failure.status} (${reason}).`
  const code = driveErrorCode(failure)
  return new ProviderError(
    code,
    { ...where, status: failure.status },
    {
      message,
      ...(retryAfterMs !== null && { retryAfterMs }),
      ...(code === 'Misconfigured' && { remedy: NOT_ENABLED }),
    },
  )
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
