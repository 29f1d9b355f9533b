import type { Dropbox, DropboxResponse, DropboxResponseError } from 'dropbox'
import type { Call } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { checkToken } from '../shared/failures.ts'
import type { Http, HttpBody, HttpResponse } from '../shared/http.ts'
import { retryAfterMs } from '../shared/retryAfter.ts'
import { createSdkFetch } from '../shared/sdkFetch.ts'
import { type DropboxFailure, dropboxError, dropboxFailure } from './errors.ts'
import { headerJson, KIND } from './wire.ts'

/** Calls of one account of Dropbox. All reject with ProviderError or the signal's reason. */
export type DropboxClient = {
  /** A control call, by Dropbox's own client. */
  ask<Result>(
    call: Call,
    operation: string,
    invoke: (sdk: Dropbox) => Promise<DropboxResponse<Result>>,
  ): Promise<Result>
  /** A call with bytes in it: `route` is as in `files/upload`. */
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
      // Loaded with the first call: a server without such accounts does without it.
      const module = await import('dropbox')
      const sdk = new module.Dropbox({ accessToken, fetch: createSdkFetch(http, call, where) })
      const { result } = await invoke(sdk).catch((error: unknown) => {
        throw ownError(call, operation, error, module.DropboxResponseError)
      })
      if (typeof result === 'object') return result
      throw new ProviderError('Transient', where, { message: 'The answer is no JSON.' })
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

/** Of an answer that is an error; it is read and done with. */
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
