import type { Dropbox, DropboxResponse, DropboxResponseError } from 'dropbox'
import type { Call } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import {
  checkToken,
  createSdkFetch,
  type Http,
  type HttpBody,
  type HttpResponse,
  retryAfterMs,
} from '../shared/http.ts'
import { type DropboxFailure, dropboxError, dropboxFailure } from './errors.ts'

export const KIND = 'dropbox'

/** API calls of one Dropbox account. All reject with ProviderError or the signal's reason. */
export type DropboxClient = {
  /** A control call with Dropbox's official client. */
  ask<Result>(
    call: Call,
    operation: string,
    invoke: (sdk: Dropbox) => Promise<DropboxResponse<Result>>,
  ): Promise<Result>
  /** A call that transfers bytes, to a route such as `files/upload`. */
  send(call: Call, operation: string, request: Bytes): Promise<HttpResponse>
}
export type Bytes = {
  readonly route: string
  readonly argument: object
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: HttpBody
  readonly patienceMs?: number
}

const CONTENT = 'https://content.dropboxapi.com/2/'

export function createDropboxClient(http: Http, accessToken: string): DropboxClient {
  return {
    async ask(call, operation, invoke) {
      const where = { provider: KIND, operation }
      checkToken(accessToken, where)
      // Loaded on the first call: servers without Dropbox accounts do not need it.
      const module = await import('dropbox')
      const sdk = new module.Dropbox({ accessToken, fetch: createSdkFetch(http, call, where) })
      const { result } = await invoke(sdk).catch((error: unknown) => {
        throw ownError(call, operation, error, module.DropboxResponseError)
      })
      if (typeof result === 'object') return result
      throw new ProviderError('Transient', where, { message: 'The response is not JSON.' })
    },
    async send(call, operation, { route, argument, headers, ...request }) {
      const where = { provider: KIND, operation }
      checkToken(accessToken, where)
      return http.send(call, {
        ...request,
        where,
        method: 'POST',
        url: CONTENT + route,
        headers: {
          ...headers,
          authorization: `Bearer ${accessToken}`,
          'dropbox-api-arg': headerJson(argument),
          ...(request.body !== undefined && { 'content-type': 'application/octet-stream' }),
        },
      })
    },
  }
}

/** Reads an error response. */
export async function failureOf(
  response: HttpResponse,
  operation: string,
): Promise<{ readonly failure: DropboxFailure; readonly error: ProviderError }> {
  const failure = dropboxFailure(response.status, await response.json().catch(() => null))
  const where = { provider: KIND, operation }
  return { failure, error: dropboxError(failure, where, retryAfterMs(response.header('retry-after'))) }
}

function ownError(call: Call, operation: string, error: unknown, refusal: typeof DropboxResponseError): unknown {
  if (call.signal.aborted) return call.signal.reason
  if (error instanceof ProviderError) return error
  const where = { provider: KIND, operation }
  if (!(error instanceof refusal)) {
    return new ProviderError('Permanent', where, { message: 'The client of Dropbox could not make the call.' })
  }
  const wait = retryAfterMs((error.headers as Headers).get('retry-after'))
  return dropboxError(dropboxFailure(error.status, error.error), where, wait)
}

/** JSON for a header: characters outside ASCII are escaped. */
export function headerJson(value: object): string {
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, escaped)
}

export type DropboxLimits = {
  /** Size of the parts that are sent and confirmed, and repeated after a lost connection: a multiple of 4 MiB, 150 MiB at most. */
  readonly chunkBytes: number
  /** Files up to this size are sent in one request, from memory. */
  readonly smallBytes: number
  readonly pageSize: number
}
const MIB = 1024 * 1024
export const DEFAULT_LIMITS: DropboxLimits = { chunkBytes: 4 * MIB, smallBytes: 4 * MIB, pageSize: 2000 }

export type DropboxContext = { readonly client: DropboxClient; readonly limits: DropboxLimits }
