import { ProviderError, type ProviderErrorCode, type ProviderErrorWhere } from '../errors.ts'

/** An error response of Dropbox. */
export type DropboxFailure = {
  readonly status: number
  /** All tags, the outermost first. */
  readonly tags: readonly string[]
  /** Bytes in an upload session, where reported. */
  readonly correctOffset: number | null
  readonly retryAfterSeconds: number | null
}

const BY_TAG: Readonly<Record<string, ProviderErrorCode>> = {
  expired_access_token: 'AuthExpired',
  invalid_access_token: 'AuthExpired',
  missing_scope: 'ReconnectNeeded',
  user_suspended: 'Forbidden',
  too_many_requests: 'RateLimited',
  too_many_write_operations: 'RateLimited',
  insufficient_space: 'QuotaExceeded',
  insufficient_quota: 'QuotaExceeded',
  payload_too_large: 'TooLarge',
  too_large: 'TooLarge',
  malformed_path: 'BadName',
  disallowed_name: 'BadName',
  not_found: 'NotFound',
  not_file: 'NotFound',
  not_folder: 'NotFound',
  conflict: 'Conflict',
  // A copy with the name of its original.
  duplicated_or_nested_paths: 'Conflict',
  reset: 'CursorReset',
  content_hash_mismatch: 'Corrupt',
  no_write_permission: 'Forbidden',
  restricted_content: 'Forbidden',
  // A document that can only be exported.
  unsupported_file: 'Forbidden',
  team_folder: 'Forbidden',
  access_denied: 'Forbidden',
  email_not_verified: 'Forbidden',
  settings_error: 'Forbidden',
  internal_error: 'Transient',
  // A document that cannot be exported yet.
  retry_error: 'Transient',
}

const BY_STATUS: Readonly<Record<number, ProviderErrorCode>> = {
  401: 'AuthExpired',
  403: 'Forbidden',
  408: 'Transient',
  413: 'TooLarge',
  429: 'RateLimited',
}

/** Maps an error of Dropbox to a ProviderError code, by its outermost known tag. */
export function dropboxErrorCode({ status, tags }: Pick<DropboxFailure, 'status' | 'tags'>): ProviderErrorCode {
  if (status >= 500) return 'Transient'
  const known = tags.find((tag) => Object.hasOwn(BY_TAG, tag))
  return (known === undefined ? undefined : BY_TAG[known]) ?? BY_STATUS[status] ?? 'Permanent'
}

/** Reads `{ error_summary, error }`; of other bodies only the status is used. */
export function dropboxFailure(status: number, body: unknown): DropboxFailure {
  const error = isObject(body) ? body.error : undefined
  return {
    status,
    tags: tagsOf(error),
    correctOffset: numberAt(error, 'correct_offset'),
    retryAfterSeconds: numberAt(error, 'retry_after'),
  }
}

/** Without Dropbox's messages, which may contain names and email addresses. */
export function dropboxError(
  failure: DropboxFailure,
  where: ProviderErrorWhere,
  retryAfterMs: number | null,
): ProviderError {
  const { status, tags, retryAfterSeconds } = failure
  const reason = tags.filter((tag) => /^\w{1,64}$/.test(tag)).join('/') || 'no reason given'
  const wait = retryAfterMs ?? (retryAfterSeconds === null ? null : retryAfterSeconds * 1000)
  const detail = { message: `Dropbox answered ${status} (${reason}).`, ...(wait !== null && { retryAfterMs: wait }) }
  return new ProviderError(dropboxErrorCode(failure), { ...where, status }, detail)
}

/** Unions occur in unions, in structs and among the fields of structs: collects the tags of every level. */
function tagsOf(value: unknown): readonly string[] {
  if (!isObject(value)) return []
  const own = typeof value['.tag'] === 'string' ? [value['.tag']] : []
  return [...own, ...Object.values(value).flatMap(tagsOf)]
}

function numberAt(value: unknown, name: string): number | null {
  if (!isObject(value)) return null
  if (typeof value[name] === 'number') return value[name]
  for (const inside of Object.values(value)) {
    const found = numberAt(inside, name)
    if (found !== null) return found
  }
  return null
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
