import type { Call, EntryRef } from '../driver.ts'
import type { ProviderError } from '../errors.ts'
import { checkToken, type Http, type HttpRequest, type HttpResponse, retryAfterMs } from '../shared/http.ts'
import { graphError, graphFailure } from './errors.ts'

export const KIND = 'onedrive'
export const API = 'https://graph.microsoft.com/v1.0'
export const DRIVE = `${API}/me/drive`

/** API calls of one OneDrive account. All reject with ProviderError or the signal's reason. */
export type GraphClient = {
  /** A call that is answered with JSON. */
  ask<Answer>(call: Call, operation: string, request: Ask): Promise<Answer>
  /** A call of which only the status and the headers count. Its body has been disposed of. */
  tell(call: Call, operation: string, request: Ask): Promise<HttpResponse>
  /** Any response. `authorized: false`: without the access token, where the URL is the credential: with it, the service refuses. */
  send(call: Call, operation: string, request: Bytes): Promise<HttpResponse>
}
export type Ask = {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
}
export type Bytes = Omit<HttpRequest, 'where'> & { readonly authorized?: boolean }

export function createGraphClient(http: Http, accessToken: string): GraphClient {
  const send: GraphClient['send'] = async (call, operation, { authorized = true, headers, ...request }) => {
    const where = { provider: KIND, operation }
    checkToken(accessToken, where)
    const own = authorized ? { authorization: `Bearer ${accessToken}` } : {}
    return http.send(call, { ...request, where, headers: { ...headers, ...own } })
  }
  async function sendJson(call: Call, operation: string, request: Ask): Promise<HttpResponse> {
    const { method = 'GET', url, headers, body } = request
    const response = await send(call, operation, {
      method,
      url,
      headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (response.status >= 400) throw await errorOf(response, operation)
    return response
  }
  return {
    send,
    ask: async <Answer>(call: Call, operation: string, request: Ask) =>
      (await (await sendJson(call, operation, request)).json()) as Answer,
    async tell(call, operation, request) {
      const response = await sendJson(call, operation, request)
      response.dispose()
      return response
    },
  }
}

/** Reads an error response. */
export async function errorOf(response: HttpResponse, operation: string): Promise<ProviderError> {
  const wait = retryAfterMs(response.header('retry-after'))
  const failure = graphFailure(response.status, await response.json().catch(() => null), wait)
  return graphError(failure, { provider: KIND, operation })
}

/** Graph's name of the root in addresses; its real id is in `OneDriveContext.root`. */
export const ROOT = 'root' as EntryRef

export const itemUrl = (ref: string): string => `${DRIVE}/items/${encodeURIComponent(ref)}`

/** The address of what has this name in a folder. Actions are appended to it. */
export const childUrl = (parent: string, name: string): string => `${itemUrl(parent)}:/${encodeURIComponent(name)}:`

export type OneDriveLimits = {
  /** Size of the parts that are sent and confirmed: a multiple of 320 KiB, below 60 MiB. The last one is kept in memory. */
  readonly chunkBytes: number
  /** Files up to this size are sent in one request, from memory; Graph once documented 4 MB. */
  readonly smallBytes: number
  readonly pageSize: number
  /** Pause between two questions about a copy (ms), at first. */
  readonly pollMs: number
  /** How long a copy is waited for (ms). */
  readonly copyMs: number
}
export const DEFAULT_LIMITS: OneDriveLimits = {
  chunkBytes: 32 * 320 * 1024,
  smallBytes: 4_000_000,
  pageSize: 1000,
  pollMs: 500,
  copyMs: 10 * 60_000,
}

export type OneDriveContext = {
  readonly client: GraphClient
  readonly limits: OneDriveLimits
  /** The real ids of the root and of the drive, for bodies of requests. Asked for once. */
  readonly root: (call: Call) => Promise<Place>
}
export type Place = { readonly driveId: string; readonly id: string }

type RootItem = { readonly id: string; readonly parentReference?: { readonly driveId?: string } }

export function createContext(client: GraphClient, limits: OneDriveLimits): OneDriveContext {
  let known: Place | null = null
  return {
    client,
    limits,
    async root(call) {
      if (known) return known
      const url = `${DRIVE}/root?$select=id,parentReference`
      const { id, parentReference } = await client.ask<RootItem>(call, 'root', { url })
      known = { id, driveId: parentReference?.driveId ?? '' }
      return known
    },
  }
}

/** A folder in the body of a request. */
export async function referenceTo({ root }: OneDriveContext, call: Call, folder: EntryRef): Promise<Place> {
  const place = await root(call)
  return folder === ROOT ? place : { ...place, id: folder }
}
