import type { Call, Credentials } from '../driver.ts'
import { ProviderError, type ProviderErrorCode, type ProviderErrorWhere } from '../errors.ts'
import { type Http, type HttpResponse, retryAfterMs } from './http.ts'

/** The response of a token endpoint (RFC 6749 5.1), as far as it is used. */
export type TokenAnswer = {
  readonly accessToken: string
  readonly refreshToken: string | null
  /** ISO 8601, computed from the time of the response. */
  readonly expiresAt: string | null
  /** Null when the response has none. */
  readonly scopes: readonly string[] | null
}

export type TokenRequest = {
  readonly where: ProviderErrorWhere
  readonly url: string
  readonly form: Readonly<Record<string, string>>
  readonly now: () => number
}

/** @throws ProviderError with the code of `tokenErrorCode` */
export async function requestToken(http: Http, call: Call, request: TokenRequest): Promise<TokenAnswer> {
  const { where } = request
  const response = await postForm(http, call, where, request.url, request.form)
  const body = await bodyOf(response)
  // GitHub refuses with 200, too.
  if (response.status !== 200 || typeof body.error === 'string') throw tokenError(response, body, where)
  if (typeof body.access_token !== 'string') {
    throw new ProviderError('Transient', where, { message: 'The response has no access token.' })
  }
  const seconds = Number(body.expires_in)
  return {
    accessToken: body.access_token,
    refreshToken: typeof body.refresh_token === 'string' ? body.refresh_token : null,
    expiresAt: seconds > 0 ? new Date(request.now() + seconds * 1000).toISOString() : null,
    scopes: typeof body.scope === 'string' ? body.scope.split(/\s+/).filter(Boolean) : null,
  }
}

/**
 * A refresh where each refresh token is valid once and the response has the next one. `form`: what identifies the client.
 * @throws ProviderError: ReconnectNeeded without a refresh token, Transient when the response has none
 */
export async function refreshOnce(
  http: Http,
  call: Call,
  credentials: Credentials,
  request: TokenRequest,
): Promise<Credentials> {
  const { where, form } = request
  const { refreshToken } = credentials
  if (!refreshToken) throw new ProviderError('ReconnectNeeded', where, { message: 'There is no refresh token.' })
  const grant = { grant_type: 'refresh_token', refresh_token: refreshToken }
  const next = await requestToken(http, call, { ...request, form: { ...form, ...grant } })
  if (next.refreshToken === null) {
    throw new ProviderError('Transient', where, { message: 'The response has no refresh token.' })
  }
  const { accessToken, expiresAt } = next
  return { ...credentials, accessToken, expiresAt, refreshToken: next.refreshToken }
}

export function postForm(
  http: Http,
  call: Call,
  where: ProviderErrorWhere,
  url: string,
  form: Readonly<Record<string, string>>,
): Promise<HttpResponse> {
  return http.send(call, {
    where,
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams(form).toString(),
  })
}

/** Without the provider's messages, which may repeat what was sent. */
export function tokenError(
  response: HttpResponse,
  body: Readonly<Record<string, unknown>>,
  where: ProviderErrorWhere,
): ProviderError {
  const named = typeof body.error === 'string' && /^\w{1,64}$/.test(body.error) ? body.error : null
  const wait = retryAfterMs(response.header('retry-after'))
  return new ProviderError(
    tokenErrorCode(response.status, named),
    { ...where, status: response.status },
    { message: `The token was refused: ${named ?? 'no reason given'}.`, ...(wait !== null && { retryAfterMs: wait }) },
  )
}

const BY_NAME: Readonly<Record<string, ProviderErrorCode>> = {
  invalid_grant: 'ReconnectNeeded',
  interaction_required: 'ReconnectNeeded',
  consent_required: 'ReconnectNeeded',
  invalid_client: 'Misconfigured',
  unauthorized_client: 'Misconfigured',
  redirect_uri_mismatch: 'Misconfigured',
  unsupported_grant_type: 'Misconfigured',
  invalid_scope: 'Misconfigured',
  rate_limit_exceeded: 'RateLimited',
  // GitHub has its own names.
  bad_verification_code: 'ReconnectNeeded',
  bad_refresh_token: 'ReconnectNeeded',
  unverified_user_email: 'ReconnectNeeded',
  incorrect_client_credentials: 'Misconfigured',
}

/** Only a named refusal with status 400 or 401, or 200, means that an account must be connected again; an outage never does. */
export function tokenErrorCode(status: number, error: string | null): ProviderErrorCode {
  if (status === 429) return 'RateLimited'
  if ((status < 400 && status !== 200) || status >= 500 || error === null) return 'Transient'
  const code = BY_NAME[error] ?? 'Permanent'
  return code === 'ReconnectNeeded' && status > 401 ? 'Permanent' : code
}

async function bodyOf(response: HttpResponse): Promise<Readonly<Record<string, unknown>>> {
  if (response.status >= 500) {
    response.dispose()
    return {}
  }
  const body = await response.json()
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
}
