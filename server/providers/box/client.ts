import { type ApiClient, createApiClient } from '../shared/apiClient.ts'
import { type Http, retryAfterMs } from '../shared/http.ts'
import { BoxError, boxFailure } from './errors.ts'

export const KIND = 'box'
export const UPLOAD = 'https://upload.box.com/api/2.0'

/** API calls of one Box account. */
export function createBoxClient(http: Http, accessToken: string): ApiClient {
  return createApiClient({
    http,
    kind: KIND,
    api: 'https://api.box.com/2.0',
    accessToken,
    errorOf: (response, body, where) =>
      new BoxError(boxFailure(response.status, body), where, retryAfterMs(response.header('retry-after'))),
  })
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

export type BoxContext = { readonly client: ApiClient; readonly limits: BoxLimits; readonly now: () => number }
