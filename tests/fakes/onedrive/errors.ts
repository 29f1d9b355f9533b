import { randomUUID } from 'node:crypto'
import type { Exchange, Headers } from '../core/service.ts'

/** An answer that is not a success, in the wire shape of the service. */
export class GraphError extends Error {
  constructor(
    readonly status: number,
    readonly body: object,
    readonly headers: Headers = {},
  ) {
    super(JSON.stringify(body))
  }
}

export function graphError(
  status: number,
  code: string,
  message: string,
  { inner, headers = {} }: { readonly inner?: string; readonly headers?: Headers } = {},
): GraphError {
  const innerError = { ...(inner && { code: inner }), date: new Date().toISOString(), 'request-id': randomUUID() }
  return new GraphError(status, { error: { code, message, innerError } }, headers)
}

export const notFound = (): GraphError => graphError(404, 'itemNotFound', 'Item does not exist')
export const invalid = (message: string, inner?: string): GraphError =>
  graphError(400, 'invalidRequest', message, inner ? { inner } : {})
export const nameTaken = (): GraphError =>
  graphError(409, 'nameAlreadyExists', 'An item with the same name already exists under the parent')
export const changed = (): GraphError => graphError(412, 'resourceModified', 'ETag does not match current item’s value')
export const full = (): GraphError => graphError(507, 'quotaLimitReached', 'Insufficient Space Available')
export const unauthenticated = (message = 'Access token has expired or is not yet valid.'): GraphError =>
  graphError(401, 'InvalidAuthenticationToken', message)

/** Throws what is planned to fail before anything is done. */
export function playFailures(exchange: Exchange): void {
  const limited = exchange.take('rateLimit')
  if (limited) {
    const headers = limited.retryAfter === undefined ? {} : { 'retry-after': String(limited.retryAfter) }
    const status = limited.status ?? 429
    throw graphError(status, limited.reason ?? 'activityLimitReached', 'The request has been throttled', {
      inner: 'throttledRequest',
      headers,
    })
  }
  const broken = exchange.take('serverError')
  if (broken) throw graphError(broken.status ?? 503, 'serviceNotAvailable', 'The service is not available.')
  const policy = exchange.take('policy')
  if (policy) throw graphError(403, policy.reason ?? 'accessDenied', 'Access denied')
}
