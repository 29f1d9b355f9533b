import type { drive_v3 } from 'googleapis/build/src/apis/drive/index.js'
import type { Call } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { checkToken } from '../shared/failures.ts'
import type { Http, HttpRequest, HttpResponse } from '../shared/http.ts'
import { retryAfterMs } from '../shared/retryAfter.ts'
import { createSdkFetch } from '../shared/sdkFetch.ts'
import { type DriveFailure, driveError, driveFailure } from './errors.ts'
import { KIND } from './wire.ts'

export const API = 'https://www.googleapis.com'

type Options = {
  readonly fetchImplementation: typeof fetch
  readonly retry: false
  readonly validateStatus: () => boolean
  readonly headers: Record<string, string>
  readonly responseType: 'json'
}
type Answer<Data> = {
  readonly status: number
  readonly data: Data
  readonly headers: Readonly<Record<string, unknown>>
}

/** Calls of one account of Drive. All reject with ProviderError or the signal's reason. */
export type DriveClient = {
  /** A control call, by Google's own client. */
  ask<Data>(
    call: Call,
    operation: string,
    invoke: (api: drive_v3.Drive, options: Options) => Promise<Answer<Data>>,
  ): Promise<Data>
  /** A call with bytes in it. With `authorized: false` without our token: the address is the credential. */
  send(call: Call, operation: string, request: Bytes): Promise<HttpResponse>
}
export type Bytes = Omit<HttpRequest, 'where'> & { readonly authorized?: boolean }

let api: Promise<drive_v3.Drive> | null = null

/** Loaded with the first call: it takes 17 MB that a server without such accounts does not need. It holds no state and no credentials. */
function loadApi(): Promise<drive_v3.Drive> {
  api ??= import('googleapis/build/src/apis/drive/index.js').then((module) => new module.drive_v3.Drive({}))
  return api
}

export function createDriveClient(http: Http, accessToken: string): DriveClient {
  const authorization = `Bearer ${accessToken}`
  return {
    async ask(call, operation, invoke) {
      const where = { provider: KIND, operation }
      checkToken(accessToken, where)
      const answer = await invoke(await loadApi(), {
        fetchImplementation: createSdkFetch(http, call, where),
        retry: false,
        validateStatus: () => true,
        headers: { authorization },
        responseType: 'json',
      }).catch((error: unknown) => {
        throw unwrapped(call, operation, error)
      })
      const { status, data } = answer
      if (status >= 400) {
        throw driveError(driveFailure(status, data), where, retryAfterMs(textOf(answer.headers['retry-after'])))
      }
      if (status !== 204 && (typeof data !== 'object' || data === null)) {
        throw new ProviderError('Transient', { ...where, status }, { message: 'The answer is no JSON.' })
      }
      return data
    },
    async send(call, operation, { authorized = true, headers, ...request }) {
      const where = { provider: KIND, operation }
      checkToken(accessToken, where)
      return http.send(call, { ...request, where, headers: { ...headers, ...(authorized && { authorization }) } })
    },
  }
}

/** Of an answer that is an error; it is read and done with. */
export async function failureOf(
  response: HttpResponse,
  operation: string,
): Promise<{ readonly failure: DriveFailure; readonly error: ProviderError }> {
  const failure = driveFailure(response.status, await response.json().catch(() => null))
  const where = { provider: KIND, operation }
  return { failure, error: driveError(failure, where, retryAfterMs(response.header('retry-after'))) }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Our own error out of the client's, which holds the request with its token and is not to be kept. */
function unwrapped(call: Call, operation: string, error: unknown): unknown {
  if (call.signal.aborted) return call.signal.reason
  const cause = error instanceof Error ? error.cause : undefined
  if (error instanceof ProviderError) return error
  if (cause instanceof ProviderError) return cause
  const message = 'The client of Google could not make the call.'
  return new ProviderError('Permanent', { provider: KIND, operation }, { message })
}
