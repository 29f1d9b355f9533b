import type { Call } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { checkToken, type Http, type HttpBody, type HttpResponse, retryAfterMs } from '../shared/http.ts'
import { BoxError, boxFailure } from './errors.ts'

export const KIND = 'box'
const API = 'https://api.box.com/2.0'
export const UPLOAD = 'https://upload.box.com/api/2.0'

export type BoxRequest = {
  readonly method: string
  /** A path below API, or a whole address. */
  readonly url: string
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly json?: object
  readonly body?: HttpBody
  readonly patienceMs?: number
  readonly keepRedirects?: boolean
  /** False: without the access token, where the address is the credential. */
  readonly authorized?: boolean
}

/** API calls of one Box account. All reject with ProviderError or the signal's reason. */
export type BoxClient = {
  /** A call that is answered with JSON; `Result` is not verified. */
  ask<Result>(call: Call, operation: string, request: BoxRequest): Promise<Result>
  /** A response that is no error. */
  send(call: Call, operation: string, request: BoxRequest): Promise<HttpResponse>
}

export function createBoxClient(http: Http, accessToken: string): BoxClient {
  async function send(call: Call, operation: string, request: BoxRequest): Promise<HttpResponse> {
    const where = { provider: KIND, operation }
    checkToken(accessToken, where)
    const { method, patienceMs, keepRedirects, authorized = true, json } = request
    const body = json === undefined ? request.body : JSON.stringify(json)
    const response = await http.send(call, {
      where,
      method,
      url: addressOf(request),
      headers: {
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...request.headers,
        ...(authorized && { authorization: `Bearer ${accessToken}` }),
      },
      ...(body !== undefined && { body }),
      ...(patienceMs !== undefined && { patienceMs }),
      ...(keepRedirects !== undefined && { keepRedirects }),
    })
    if (response.status < 400) return response
    const failure = boxFailure(response.status, await response.json().catch(() => null))
    throw new BoxError(failure, where, retryAfterMs(response.header('retry-after')))
  }
  return {
    send,
    async ask<Result>(call: Call, operation: string, request: BoxRequest) {
      const response = await send(call, operation, request)
      const body = await response.json()
      if (typeof body === 'object' && body !== null) return body as Result
      throw new ProviderError('Transient', { provider: KIND, operation }, { message: 'The response is not an object.' })
    },
  }
}

function addressOf({ url, query = {} }: BoxRequest): URL {
  const address = new URL(url.startsWith('/') ? API + url : url)
  for (const [name, value] of Object.entries(query)) if (value !== undefined) address.searchParams.set(name, value)
  return address
}

export type BoxLimits = {
  /** Files up to this size are sent in one request: Box takes only larger ones, from 20 MB on, in parts. */
  readonly smallBytes: number
  /** Contents up to this size are sent from memory; larger ones are read twice. */
  readonly memoryBytes: number
  readonly pageSize: number
  /** Events of one page: each is followed by a call for the current state. */
  readonly eventsPerPage: number
}
export const DEFAULT_LIMITS: BoxLimits = {
  smallBytes: 19_999_999,
  memoryBytes: 4 * 1024 * 1024,
  pageSize: 1000,
  eventsPerPage: 100,
}

export type BoxContext = { readonly client: BoxClient; readonly limits: BoxLimits; readonly now: () => number }
