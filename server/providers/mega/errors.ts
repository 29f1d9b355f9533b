import { ProviderError, type ProviderErrorCode, type ProviderErrorWhere } from '../errors.ts'

export const KIND = 'mega'

/** Error numbers of MEGA's API (include/mega/types.h of its SDK), as far as they matter here. */
export const MEGA = {
  rateLimit: -4,
  failed: -5,
  tooMany: -6,
  range: -7,
  expired: -8,
  notFound: -9,
  incomplete: -13,
  session: -15,
  blocked: -16,
  overQuota: -17,
  mfaRequired: -26,
} as const

type Meaning = readonly [code: ProviderErrorCode, message: string]

const BUSY = 'MEGA is busy.'
/** Also the reason that an account shows while it has to be connected again. */
const SESSION_ENDED = 'The MEGA session was closed, or the password was changed.'

const MEANINGS: Readonly<Record<number, Meaning>> = {
  '-1': ['Transient', 'MEGA reports an internal error.'],
  '-2': ['Permanent', 'MEGA does not accept the request.'],
  '-3': ['Transient', BUSY],
  '-4': ['RateLimited', 'MEGA receives too many requests of this account.'],
  '-5': ['Transient', 'The upload failed at MEGA.'],
  '-6': ['RateLimited', 'MEGA receives too many requests for this.'],
  '-7': ['Transient', 'MEGA does not accept this part of the upload.'],
  '-8': ['Transient', 'The address of the upload or download has expired.'],
  '-9': ['NotFound', 'It does not exist.'],
  '-10': ['Conflict', 'A folder cannot be moved into itself.'],
  '-11': ['Forbidden', 'MEGA does not allow this.'],
  '-12': ['Conflict', 'It exists already.'],
  '-13': ['Transient', 'It is not complete at MEGA.'],
  '-14': ['Corrupt', 'It cannot be decrypted.'],
  '-15': ['AuthExpired', SESSION_ENDED],
  '-16': [
    'AuthExpired',
    'MEGA has locked the account. Sign in at mega.nz to see why, and connect it again afterwards.',
  ],
  '-17': ['QuotaExceeded', 'The account is full.'],
  '-18': ['Transient', 'It is not available for now.'],
  '-19': ['RateLimited', 'MEGA has too many connections to this file.'],
  '-20': ['Transient', 'MEGA could not store the bytes.'],
  '-21': ['Transient', 'MEGA could not read the file.'],
  '-24': ['QuotaExceeded', 'The account has no room for this.'],
  '-28': ['Forbidden', 'The business account is not paid for.'],
  '-29': ['QuotaExceeded', 'MEGA has locked the account because it stores more than it may.'],
}

/** The ProviderError for a number that MEGA returns instead of a result. */
export function megaError(number: number, where: ProviderErrorWhere): ProviderError {
  const [code, message] = MEANINGS[number] ?? ['Permanent', `MEGA returns the error ${number}.`]
  return new ProviderError(code, { ...where, status: number }, { message })
}

/** The number of an error that was made by `megaError`; null for others. */
export function megaNumber(error: unknown): number | null {
  const status = error instanceof ProviderError ? error.where.status : undefined
  return status !== undefined && status < 0 ? status : null
}

/** The error for an HTTP status of 400 and more; `retryAfterMs` null: not stated. */
export function statusError(status: number, where: ProviderErrorWhere, retryAfterMs: number | null): ProviderError {
  const at = { ...where, status }
  const wait = retryAfterMs === null ? {} : { retryAfterMs }
  if (status === 509) {
    // Of the address of this server with free accounts, of the account with paid ones (SDK: bandwidth overquota).
    return transferQuotaUsed(at, retryAfterMs)
  }
  const code = status === 429 || status === 402 ? 'RateLimited' : 'Transient'
  return new ProviderError(code, at, { message: `MEGA answers with status ${status}.`, ...wait })
}

export function transferQuotaUsed(where: ProviderErrorWhere, retryAfterMs: number | null): ProviderError {
  const message = 'The transfer quota of MEGA is used up.'
  const wait = retryAfterMs === null ? {} : { retryAfterMs }
  return new ProviderError('RateLimited', where, { message, isOfDownloads: true, ...wait })
}

export function failed(operation: string, code: ProviderErrorCode, message: string): ProviderError {
  return new ProviderError(code, { provider: KIND, operation }, { message })
}
