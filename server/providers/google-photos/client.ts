import type { Call } from '../driver.ts'
import { ProviderError, type ProviderErrorCode, type ProviderErrorWhere } from '../errors.ts'
import { checkToken, type Http, type HttpRequest, type HttpResponse, retryAfterMs } from '../shared/http.ts'

export const KIND = 'google-photos'
export const API = 'https://photoslibrary.googleapis.com/v1'
const USERINFO = 'https://openidconnect.googleapis.com/v1/userinfo'

/** Calls of one account. All reject with ProviderError or the signal's reason. */
export type PhotosClient = {
  /** A call of the Photos Library API, with a JSON body where one is given. */
  ask(call: Call, operation: string, path: string, body?: object): Promise<Readonly<Record<string, unknown>>>
  /** The login, which costs nothing of the few calls of the Photos Library API that a project has per day. */
  userinfo(call: Call, operation: string): Promise<Readonly<Record<string, unknown>>>
  /** A call that transfers bytes; resolves with the response of one that succeeded. */
  send(call: Call, operation: string, request: Omit<HttpRequest, 'where'>): Promise<HttpResponse>
}

export function createPhotosClient(http: Http, accessToken: string): PhotosClient {
  async function send(call: Call, operation: string, request: Omit<HttpRequest, 'where'>): Promise<HttpResponse> {
    const where = { provider: KIND, operation }
    checkToken(accessToken, where)
    const headers = { ...request.headers, authorization: `Bearer ${accessToken}` }
    const response = await http.send(call, { ...request, where, headers })
    if (response.status < 400) return response
    throw await errorOf(response, where)
  }
  return {
    send,
    async ask(call, operation, path, body) {
      const response = await send(call, operation, {
        method: body ? 'POST' : 'GET',
        url: `${API}${path}`,
        ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      })
      return objectOf(await response.json())
    },
    async userinfo(call, operation) {
      return objectOf(await (await send(call, operation, { method: 'GET', url: USERINFO })).json())
    },
  }
}

/** Without the service's messages, which may contain names. */
async function errorOf(response: HttpResponse, where: ProviderErrorWhere): Promise<ProviderError> {
  const { status } = response
  // The error of an address of bytes can be an image.
  const body = objectOf(await response.json().catch(() => null))
  const failure = failureIn(status, body)
  const wait = retryAfterMs(response.header('retry-after'))
  const code = photosErrorCode(failure)
  return new ProviderError(
    code,
    { ...where, status },
    {
      message: `Google Photos answered ${status} (${failure.reason ?? 'no reason given'}).`,
      ...(wait !== null && { retryAfterMs: wait }),
      ...(code === 'Misconfigured' && { remedy: NOT_ENABLED }),
    },
  )
}

const NOT_ENABLED =
  'The Photos Library API is not enabled in the project of this server. Its administrator has to enable it in the Google Cloud console, and to wait a few minutes.'

/** `reason`: the status of google.rpc, such as NOT_FOUND. */
export type PhotosFailure = { readonly status: number; readonly reason: string | null; readonly message: string }

function failureIn(status: number, body: Readonly<Record<string, unknown>>): PhotosFailure {
  const error = objectOf(body.error)
  const reason = typeof error.status === 'string' && /^\w{1,64}$/.test(error.status) ? error.status : null
  return { status, reason, message: typeof error.message === 'string' ? error.message : '' }
}

const BY_STATUS: Readonly<Record<number, ProviderErrorCode>> = {
  401: 'AuthExpired',
  404: 'NotFound',
  408: 'Transient',
  409: 'Transient',
  413: 'TooLarge',
  429: 'RateLimited',
}

/** Maps an error of the Photos Library API to a ProviderError code. */
export function photosErrorCode({ status, reason, message }: PhotosFailure): ProviderErrorCode {
  if (status === 403 && /insufficient authentication scopes/i.test(message)) return 'ReconnectNeeded'
  if (status === 403 && /has not been used in project|is disabled/i.test(message)) return 'Misconfigured'
  // 10,000 calls a day for a project, and 75,000 readings of bytes: a pause of seconds would not help.
  if (status === 429 && /per day/i.test(message)) return 'Forbidden'
  if (status === 429 && /storage/i.test(message)) return 'QuotaExceeded'
  if (status === 400 && /page ?token/i.test(message)) return 'CursorReset'
  if (status === 400 && /invalid (media item|album) id/i.test(message)) return 'NotFound'
  if (reason === 'ABORTED') return 'Transient'
  return BY_STATUS[status] ?? (status >= 500 ? 'Transient' : status === 403 ? 'Forbidden' : 'Permanent')
}

export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
