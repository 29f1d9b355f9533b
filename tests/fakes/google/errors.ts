import type { Fault } from '../core/faults.ts'
import type { Exchange, Headers } from '../core/service.ts'

/** An answer of Drive that is an error, in its shape. */
export class DriveError extends Error {
  override readonly name = 'DriveError'
  constructor(
    readonly code: number,
    readonly reason: string,
    message: string,
    readonly more: {
      readonly location?: string
      readonly locationType?: string
      readonly domain?: string
      readonly status?: string
      readonly headers?: Headers
      /** The short message inside `errors`, where it differs. */
      readonly inner?: string
    } = {},
  ) {
    super(message)
  }
}

export function sendDriveError(exchange: Exchange, error: DriveError): Promise<void> {
  const { location, locationType, domain = 'global', status, headers, inner } = error.more
  const detail = {
    message: inner ?? error.message,
    domain,
    reason: error.reason,
    ...(location && { location, locationType }),
  }
  const value = { error: { code: error.code, message: error.message, errors: [detail], ...(status && { status }) } }
  return exchange.sendJson(error.code, value, { Vary: 'Origin, X-Origin, Referer', ...headers })
}

export const fileNotFound = (id: string): DriveError =>
  new DriveError(404, 'notFound', `File not found: ${id}.`, { location: 'fileId', locationType: 'parameter' })

export const invalid = (location: string, message = 'Invalid Value', reason = 'invalid'): DriveError =>
  new DriveError(400, reason, message, { location, locationType: 'parameter' })

export const badRequest = (message: string): DriveError => new DriveError(400, 'badRequest', message)

export const forbidden = (reason: string, message: string): DriveError => new DriveError(403, reason, message)

export const invalidCredentials = (): DriveError =>
  new DriveError(
    401,
    'authError',
    'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
    { inner: 'Invalid Credentials', location: 'Authorization', locationType: 'header', status: 'UNAUTHENTICATED' },
  )

export const insufficientScopes = (): DriveError =>
  new DriveError(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.', {
    inner: 'Insufficient Permission',
    status: 'PERMISSION_DENIED',
  })

export const storageFull = (): DriveError =>
  forbidden('storageQuotaExceeded', "The user's Drive storage quota has been exceeded.")

function rateLimited({ status, reason, retryAfter }: Fault): DriveError {
  const code = status ?? 403
  const named = reason ?? (code === 429 ? 'rateLimitExceeded' : 'userRateLimitExceeded')
  const message = named === 'userRateLimitExceeded' ? 'User Rate Limit Exceeded' : 'Rate Limit Exceeded'
  const headers = retryAfter === undefined ? {} : { 'Retry-After': retryAfter }
  return new DriveError(code, named, message, { domain: 'usageLimits', headers })
}

export const backendError = ({ status = 503 }: Fault): DriveError =>
  new DriveError(status, 'backendError', status === 500 ? 'Internal Error' : 'Backend Error')

const POLICY_MESSAGES: Readonly<Record<string, string>> = {
  publishOutNotPermitted: 'The administrator has disabled sharing outside the domain.',
  downloadQuotaExceeded: 'The download quota for this file has been exceeded.',
  domainPolicy: 'The domain administrators have disabled Drive apps.',
}

export function refusedByPolicy({ reason }: Fault, usual = 'domainPolicy'): DriveError {
  const named = reason ?? usual
  return forbidden(named, POLICY_MESSAGES[named] ?? 'The policy of the domain does not allow this.')
}

/** Throws what a planned fault makes of any Drive call, before anything is done. */
export function playDriveFaults(exchange: Exchange): void {
  const limited = exchange.take('rateLimit')
  if (limited) throw rateLimited(limited)
  if (exchange.take('expired')) throw invalidCredentials()
}

export function playServerError(exchange: Exchange): void {
  const broken = exchange.take('serverError')
  if (broken) throw backendError(broken)
}
