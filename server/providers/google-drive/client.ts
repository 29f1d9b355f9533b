import type { drive_v3 } from 'googleapis/build/src/apis/drive/index.js'
import type { Call, Capabilities } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import {
  checkToken,
  createSdkFetch,
  type Http,
  type HttpRequest,
  type HttpResponse,
  retryAfterMs,
} from '../shared/http.ts'
import { type DriveFailure, driveError, driveFailure } from './errors.ts'

export const KIND = 'google-drive'
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

/** API calls of one Drive account. All reject with ProviderError or the signal's reason. */
export type DriveClient = {
  /** A control call with Google's official client. */
  ask<Data>(
    call: Call,
    operation: string,
    invoke: (api: drive_v3.Drive, options: Options) => Promise<Answer<Data>>,
  ): Promise<Data>
  /** A call that transfers bytes. `authorized: false`: without the access token, where the URL is the credential. */
  send(call: Call, operation: string, request: Bytes): Promise<HttpResponse>
}
export type Bytes = Omit<HttpRequest, 'where'> & { readonly authorized?: boolean }

let api: Promise<drive_v3.Drive> | null = null

/** Loaded on the first call: it takes 17 MB, which servers without Drive accounts do not need. Has no state and no credentials. */
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
        throw unwrap(call, operation, error)
      })
      const { status, data } = answer
      if (status >= 400) {
        throw driveError(driveFailure(status, data), where, retryAfterMs(textOf(answer.headers['retry-after'])))
      }
      if (status !== 204 && (typeof data !== 'object' || data === null)) {
        throw new ProviderError('Transient', { ...where, status }, { message: 'The response is not JSON.' })
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

/** Reads an error response. */
export async function failureOf(
  response: HttpResponse,
  operation: string,
): Promise<{ readonly failure: DriveFailure; readonly error: ProviderError }> {
  const failure = driveFailure(response.status, await response.json().catch(() => null))
  const where = { provider: KIND, operation }
  return { failure, error: driveError(failure, where, retryAfterMs(response.header('retry-after'))) }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** The ProviderError inside an error of Google's client. That one is dropped, because it contains the request with its token. */
function unwrap(call: Call, operation: string, error: unknown): unknown {
  if (call.signal.aborted) return call.signal.reason
  const cause = error instanceof Error ? error.cause : undefined
  if (error instanceof ProviderError) return error
  if (cause instanceof ProviderError) return cause
  const message = 'The client of Google could not make the call.'
  return new ProviderError('Permanent', { provider: KIND, operation }, { message })
}

/** Ids reserved for new files: a file created with one can be found when the response was lost. */
export type Ids = { next(call: Call): Promise<string> }

const IDS_PER_CALL = 50

export function createIds(client: DriveClient): Ids {
  let ready: string[] = []
  return {
    async next(call) {
      const known = ready.pop()
      if (known !== undefined) return known
      const { ids } = await client.ask(call, 'generateIds', (api, options) =>
        api.files.generateIds({ count: IDS_PER_CALL, space: 'drive', fields: 'ids' }, options),
      )
      ready = [...ready, ...(ids ?? [])]
      const id = ready.pop()
      if (id !== undefined) return id
      throw new ProviderError(
        'Transient',
        { provider: KIND, operation: 'generateIds' },
        { message: 'The response has no id.' },
      )
    },
  }
}

export type DriveLimits = {
  /** Size of the parts that are sent and confirmed: a multiple of 256 KiB. */
  readonly chunkBytes: number
  /** Files up to this size are sent in one request; Drive documents 5 MB. */
  readonly smallBytes: number
  readonly pageSize: number
}
export const DEFAULT_LIMITS: DriveLimits = { chunkBytes: 8 * 1024 * 1024, smallBytes: 5_000_000, pageSize: 1000 }

export type DriveContext = {
  readonly client: DriveClient
  readonly limits: DriveLimits
  readonly ids: Ids
  readonly capabilities: Capabilities
}
