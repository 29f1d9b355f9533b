import type { Call } from '../driver.ts'
import { ProviderError, type ProviderErrorWhere } from '../errors.ts'
import { checkToken, type Http, type HttpBody, type HttpResponse } from './http.ts'

export type ApiRequest = {
  readonly method: string
  /** A path below the API's address, or a whole address. */
  readonly url: string
  /** Undefined values are left out. */
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

/** Calls of an API that answers with JSON, for one account. All reject with ProviderError or the signal's reason. */
export type ApiClient = {
  /** A call that is answered with JSON; `Result` is not verified. */
  ask<Result>(call: Call, operation: string, request: ApiRequest): Promise<Result>
  /** A response that is no error. */
  send(call: Call, operation: string, request: ApiRequest): Promise<HttpResponse>
}

export type ApiClientOptions = {
  readonly http: Pick<Http, 'send'>
  /** Of the provider, for errors. */
  readonly kind: string
  /** Address of the API, without a slash at the end. */
  readonly api: string
  readonly accessToken: string
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Sent with the access token. */
  readonly apiHeaders?: Readonly<Record<string, string>>
  /** The error of a response with a status from 400 on. `body`: its JSON, null if it has none. */
  errorOf(response: HttpResponse, body: unknown, where: ProviderErrorWhere): ProviderError
}

export function createApiClient(options: ApiClientOptions): ApiClient {
  const { http, kind, api, accessToken, headers, apiHeaders, errorOf } = options

  async function send(call: Call, operation: string, request: ApiRequest): Promise<HttpResponse> {
    const where = { provider: kind, operation }
    checkToken(accessToken, where)
    const { method, patienceMs, keepRedirects, authorized = true, json } = request
    const body = json === undefined ? request.body : JSON.stringify(json)
    const response = await http.send(call, {
      where,
      method,
      url: addressOf(api, request),
      headers: {
        ...headers,
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...(authorized && { ...apiHeaders, authorization: `Bearer ${accessToken}` }),
        ...request.headers,
      },
      ...(body !== undefined && { body }),
      ...(patienceMs !== undefined && { patienceMs }),
      ...(keepRedirects !== undefined && { keepRedirects }),
    })
    if (response.status < 400) return response
    throw errorOf(response, await response.json().catch(() => null), where)
  }

  return {
    send,
    async ask<Result>(call: Call, operation: string, request: ApiRequest) {
      const response = await send(call, operation, request)
      const body = await response.json()
      if (typeof body === 'object' && body !== null) return body as Result
      throw new ProviderError('Transient', { provider: kind, operation }, { message: 'The response is not an object.' })
    },
  }
}

function addressOf(api: string, { url, query = {} }: ApiRequest): URL {
  const address = new URL(url.startsWith('/') ? api + url : url)
  for (const [name, value] of Object.entries(query)) if (value !== undefined) address.searchParams.set(name, value)
  return address
}
