import { ProviderError, type ProviderErrorCode, type ProviderErrorWhere } from '../errors.ts'

/** An error response of a service with the S3 API. */
export type S3Failure = {
  readonly status: number
  /** As in the response; null where it has none, as for HEAD and from proxies. */
  readonly code: string | null
  /** The region to use instead, where the response names one. */
  readonly region: string | null
}

const CODES: Readonly<Partial<Record<ProviderErrorCode, readonly string[]>>> = {
  AuthExpired: [
    'InvalidAccessKeyId',
    'SignatureDoesNotMatch',
    'ExpiredToken',
    'InvalidToken',
    'TokenRefreshRequired',
    'NotSignedUp',
    'UnauthorizedAccess',
  ],
  NotFound: ['NoSuchKey', 'NoSuchUpload', 'NoSuchVersion'],
  RateLimited: [
    'SlowDown',
    'Throttling',
    'ThrottlingException',
    'TooManyRequests',
    'RequestLimitExceeded',
    'BandwidthLimitExceeded',
    'SlowDownRead',
    'SlowDownWrite',
  ],
  // Of a body that was damaged on its way nothing is stored: it can be sent again.
  Transient: [
    'InternalError',
    'ServiceUnavailable',
    'RequestTimeout',
    'OperationAborted',
    'ConditionalRequestConflict',
    'BadDigest',
    'XAmzContentSHA256Mismatch',
    'IncompleteBody',
    'RequestTimeTooSkewed',
  ],
  QuotaExceeded: [
    'QuotaExceeded',
    'InsufficientCapacity',
    'InsufficientStorage',
    'XMinioAdminBucketQuotaExceeded',
    'XMinioStorageFull',
    'TooManyBytes',
    'StorageCapExceeded',
    'TransactionCapExceeded',
  ],
  TooLarge: ['EntityTooLarge', 'MaxMessageLengthExceeded'],
  BadName: ['KeyTooLongError', 'KeyTooLong', 'InvalidObjectName', 'InvalidURI', 'XMinioInvalidObjectName'],
  Conflict: ['PreconditionFailed'],
  // Not NotFound: the objects are not known to be gone where their bucket cannot be found.
  Forbidden: [
    'AccessDenied',
    'AllAccessDisabled',
    'AccountProblem',
    'InvalidObjectState',
    'NoSuchBucket',
    'PermanentRedirect',
    'TemporaryRedirect',
    'AuthorizationHeaderMalformed',
  ],
}
const BY_CODE: ReadonlyMap<string, ProviderErrorCode> = new Map(
  Object.entries(CODES).flatMap(([to, codes]) => codes.map((code) => [code, to as ProviderErrorCode] as const)),
)

const BY_STATUS: Readonly<Record<number, ProviderErrorCode>> = {
  401: 'AuthExpired',
  403: 'Forbidden',
  // Without a code it is the word of a proxy, not that of the service.
  404: 'Transient',
  408: 'Transient',
  412: 'Conflict',
  413: 'TooLarge',
  429: 'RateLimited',
  507: 'QuotaExceeded',
}

/** Maps an error of a service with the S3 API to a ProviderError code: by its code, else by its status. */
export function s3ErrorCode({ status, code }: Pick<S3Failure, 'status' | 'code'>): ProviderErrorCode {
  const known = code === null ? undefined : BY_CODE.get(code)
  return known ?? BY_STATUS[status] ?? (status >= 500 ? 'Transient' : 'Permanent')
}

/** The failure as the cause of an error. */
class S3Refusal extends Error {
  override readonly name = 'S3Refusal'
  constructor(readonly failure: S3Failure) {
    super(`${failure.status} ${failure.code ?? ''}`)
  }
}

/** Without the service's message, which may contain keys and signatures. */
export function s3Error(failure: S3Failure, where: ProviderErrorWhere, retryAfterMs: number | null): ProviderError {
  const { status, code } = failure
  const reason = code !== null && /^\w{1,64}$/.test(code) ? code : 'no reason given'
  const detail = { message: `The service answered ${status} (${reason}).`, cause: new S3Refusal(failure) }
  // A response to HEAD has no code.
  const isLimited = status === 503 && code === null && retryAfterMs !== null
  return new ProviderError(
    isLimited ? 'RateLimited' : s3ErrorCode(failure),
    { ...where, status },
    { ...detail, ...(retryAfterMs !== null && { retryAfterMs }) },
  )
}

/** What the service answered; null for errors without a response. */
export function failureOf(error: unknown): S3Failure | null {
  if (!(error instanceof ProviderError) || !(error.detail.cause instanceof S3Refusal)) return null
  return error.detail.cause.failure
}
