import type { Call } from '../driver.ts'
import { checkToken, type Http, type HttpBody, type HttpResponse } from '../shared/http.ts'
import { failed, GithubError, githubFailure, KIND } from './errors.ts'

const API = 'https://api.github.com'
export const UPLOADS = 'https://uploads.github.com'

export type GithubRequest = {
  readonly method: string
  /** A path below API, or a whole address. */
  readonly url: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly json?: object
  readonly body?: HttpBody
  readonly patienceMs?: number
  readonly keepRedirects?: boolean
  /** False: without the access token, where the address is the credential. */
  readonly authorized?: boolean
}

/** API calls of one GitHub user. All reject with ProviderError or the signal's reason. */
export type GithubClient = {
  /** A call that is answered with JSON; `Result` is not verified. */
  ask<Result>(call: Call, operation: string, request: GithubRequest): Promise<Result>
  /** A response that is no error. */
  send(call: Call, operation: string, request: GithubRequest): Promise<HttpResponse>
}

/** GitHub refuses requests without a name of the program. */
export const USER_AGENT = 'Skypool'

export function createGithubClient(http: Pick<Http, 'send'>, accessToken: string, now: () => number): GithubClient {
  async function send(call: Call, operation: string, request: GithubRequest): Promise<HttpResponse> {
    const where = { provider: KIND, operation }
    checkToken(accessToken, where)
    const { method, patienceMs, keepRedirects, authorized = true, json } = request
    const body = json === undefined ? request.body : JSON.stringify(json)
    const response = await http.send(call, {
      where,
      method,
      url: addressOf(request),
      headers: {
        'user-agent': USER_AGENT,
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...(authorized && {
          accept: 'application/vnd.github+json',
          'x-github-api-version': '2022-11-28',
          authorization: `Bearer ${accessToken}`,
        }),
        ...request.headers,
      },
      ...(body !== undefined && { body }),
      ...(patienceMs !== undefined && { patienceMs }),
      ...(keepRedirects !== undefined && { keepRedirects }),
    })
    if (response.status < 400) return response
    throw new GithubError(githubFailure(response, await response.json().catch(() => null), now()), where)
  }
  return {
    send,
    async ask<Result>(call: Call, operation: string, request: GithubRequest) {
      const response = await send(call, operation, request)
      const body = await response.json()
      if (typeof body === 'object' && body !== null) return body as Result
      throw failed(operation, 'Transient', 'The response is not an object.')
    },
  }
}

function addressOf({ url, query = {} }: GithubRequest): URL {
  const address = new URL(url.startsWith('/') ? API + url : url)
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
  return address
}
