import { ProviderError, type ProviderErrorCode, type ProviderErrorWhere } from '../errors.ts'

/** An error response of Box. */
export type BoxFailure = {
  readonly status: number
  readonly code: string | null
  /** What has the name already, with `item_name_in_use`. */
  readonly conflict: BoxConflict | null
}

export type BoxConflict = { readonly type: string; readonly id: string; readonly sha1: string | null }

const BY_CODE: Readonly<Record<string, ProviderErrorCode>> = {
  unauthorized: 'AuthExpired',
  storage_limit_exceeded: 'QuotaExceeded',
  insufficient_storage: 'QuotaExceeded',
  file_size_limit_exceeded: 'TooLarge',
  item_name_invalid: 'BadName',
  item_name_too_long: 'BadName',
  item_name_in_use: 'Conflict',
  // The name belongs to an upload that Box still carries out.
  name_temporarily_reserved: 'Transient',
  operation_blocked_temporary: 'Transient',
  // Of a commit that follows the last part at once.
  parts_mismatch: 'Transient',
  precondition_failed: 'Conflict',
  not_found: 'NotFound',
  trashed: 'NotFound',
  rate_limit_exceeded: 'RateLimited',
}

const BY_STATUS: Readonly<Record<number, ProviderErrorCode>> = {
  401: 'AuthExpired',
  403: 'Forbidden',
  404: 'NotFound',
  408: 'Transient',
  409: 'Conflict',
  410: 'NotFound',
  412: 'Conflict',
  413: 'TooLarge',
  429: 'RateLimited',
  507: 'QuotaExceeded',
}

/** Maps an error of Box to a ProviderError code. */
export function boxErrorCode({ status, code }: Pick<BoxFailure, 'status' | 'code'>): ProviderErrorCode {
  const named = code !== null && Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined
  return named ?? BY_STATUS[status] ?? (status >= 500 ? 'Transient' : 'Permanent')
}

/** Reads `{ code, context_info }`; of other bodies only the status is used. */
export function boxFailure(status: number, body: unknown): BoxFailure {
  if (!isObject(body)) return { status, code: null, conflict: null }
  const context = isObject(body.context_info) ? body.context_info : {}
  return { status, code: typeof body.code === 'string' ? body.code : null, conflict: conflictIn(context.conflicts) }
}

/** A list for folders, a single one for files. */
function conflictIn(value: unknown): BoxConflict | null {
  const one: unknown = Array.isArray(value) ? value[0] : value
  if (!isObject(one) || typeof one.type !== 'string' || typeof one.id !== 'string') return null
  return { type: one.type, id: one.id, sha1: typeof one.sha1 === 'string' ? one.sha1.toLowerCase() : null }
}

/** An error of Box, with what it says about the name that is in use. */
export class BoxError extends ProviderError {
  constructor(
    readonly failure: BoxFailure,
    where: ProviderErrorWhere,
    retryAfterMs: number | null,
  ) {
    const { status, code } = failure
    // Without Box's message, which may contain names.
    const reason = code !== null && /^\w{1,64}$/.test(code) ? code : 'no reason given'
    super(
      boxErrorCode(failure),
      { ...where, status },
      { message: `Box answered ${status} (${reason}).`, ...(retryAfterMs !== null && { retryAfterMs }) },
    )
  }
}

/** What has the name, of an error that says so. */
export function conflictOf(error: unknown): BoxConflict | null {
  return error instanceof BoxError ? error.failure.conflict : null
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
