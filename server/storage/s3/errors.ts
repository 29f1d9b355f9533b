import { DiskFullError } from '../errors.ts'

type Failure = {
  /** null: no answer. */
  readonly status: number | null
  /** As in the answer; null where it has none, as for HEAD and from proxies. */
  readonly code: string | null
  readonly retryAfter?: string | undefined
  readonly cause?: unknown
  /** The connection was kept from an earlier request. */
  readonly wasKept?: boolean
}

/**
 * Of a body that was damaged on its way nothing is stored. Swift says that a bucket does not exist while its servers start: the bucket was
 * there when this server started.
 */
const REPEATED: ReadonlySet<string> = new Set([
  'BadDigest',
  'ConditionalRequestConflict',
  'IncompleteBody',
  'InternalError',
  'NoSuchBucket',
  'OperationAborted',
  'RequestTimeTooSkewed',
  'RequestTimeout',
  'ServiceUnavailable',
  'SlowDown',
  'SlowDownRead',
  'SlowDownWrite',
  'Throttling',
  'TooManyRequests',
  'XAmzContentSHA256Mismatch',
])
const FULL: ReadonlySet<string> = new Set([
  'InsufficientCapacity',
  'InsufficientStorage',
  'QuotaExceeded',
  'StorageCapExceeded',
  'XMinioAdminBucketQuotaExceeded',
  'XMinioStorageFull',
])

const TOO_LATE = 'TooLate'

/** The object store refused a request, or did not answer. Without its message, which may contain keys and signatures. */
export class S3Error extends Error {
  override readonly name = 'S3Error'
  readonly status: number | null
  readonly code: string | null
  /** Whether the same request can succeed later. */
  readonly canRepeat: boolean
  readonly retryAfterMs: number | null
  readonly wasKept: boolean

  constructor(
    readonly operation: string,
    { status, code, retryAfter, cause, wasKept = false }: Failure,
  ) {
    super(`The object store failed (${operation}): ${reasonOf(status, code, cause)}.`, { cause })
    this.status = status
    this.code = code
    this.canRepeat =
      status === null || status === 408 || status === 429 || (status >= 500 && ![501, 507].includes(status))
    if (code !== null && REPEATED.has(code)) this.canRepeat = true
    if (code === TOO_LATE || (code !== null && FULL.has(code))) this.canRepeat = false
    this.retryAfterMs = retryAfter === undefined ? null : Number(retryAfter) * 1000 || null
    this.wasKept = wasKept
  }

  /** The end of a body was due before now. */
  static tooLate(operation: string): S3Error {
    return new S3Error(operation, { status: null, code: TOO_LATE })
  }

  static ofNetwork(operation: string, cause: unknown, wasKept: boolean): S3Error {
    return new S3Error(operation, { status: null, code: null, cause, wasKept })
  }
}

/** Whether a write was given up because this server was suspended, or is slow: see S3Request.until. */
export function isTooLate(error: unknown): boolean {
  return error instanceof S3Error && error.code === TOO_LATE
}

function reasonOf(status: number | null, code: string | null, cause: unknown): string {
  if (code === TOO_LATE) return 'this server was suspended or is too slow'
  if (status !== null) return `${status} ${code !== null && /^\w{1,64}$/.test(code) ? code : 'without a reason'}`
  const known = (cause as { code?: unknown } | null)?.code
  return typeof known === 'string' ? known : cause instanceof Error ? cause.message : String(cause)
}

/** Whether the object does not exist. Where the bucket does not exist, or a proxy answers, that is not known. */
export function isMissing(error: unknown): boolean {
  if (!(error instanceof S3Error) || error.status !== 404) return false
  return error.code === 'NoSuchKey' || (error.code === null && error.operation === 'head')
}

/** Whether the multipart upload does not exist: it was completed, aborted, or never begun. */
export function isUploadGone(error: unknown): boolean {
  return error instanceof S3Error && error.status === 404 && error.code === 'NoSuchUpload'
}

/** Whether the parts of an upload are not what the request to complete it names. */
export function isPartsMismatch(error: unknown): boolean {
  return error instanceof S3Error && error.status === 400 && error.code === 'InvalidPart'
}

/** For `catch`: a full bucket is a full disk. */
export function asDiskFull(error: unknown): never {
  const isFull = error instanceof S3Error && (error.status === 507 || (error.code !== null && FULL.has(error.code)))
  throw isFull ? new DiskFullError(error) : error
}
