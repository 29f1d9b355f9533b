import { flattened, summaryOf, type Tagged } from './tags.ts'

/** An answer that is not a success, in the wire shape of the service. */
export class DropboxError extends Error {
  readonly status: number
  readonly body: string | object
  readonly headers: Readonly<Record<string, string>>
  /** The error union of a 409. */
  readonly tag: Tagged | null

  constructor(
    status: number,
    body: string | object,
    headers: Readonly<Record<string, string>> = {},
    tag: Tagged | null = null,
  ) {
    super(typeof body === 'string' ? body : JSON.stringify(body))
    this.status = status
    this.body = body
    this.headers = headers
    this.tag = tag
  }
}

/** What the route itself refuses: 409 with the tags of its error union. */
export function refused(error: Tagged): DropboxError {
  return new DropboxError(409, withSummary(error), {}, error)
}

/** Input that the service cannot read: plain text, not JSON. */
export function badInput(operation: string, problem: string): DropboxError {
  return new DropboxError(400, `Error in call to API function "${operation}": ${problem}`)
}

export function unauthorised(error: Tagged): DropboxError {
  return new DropboxError(401, withSummary(error))
}

export function missingScope(scope: string): DropboxError {
  return unauthorised(flattened('missing_scope', { required_scope: scope }))
}

/** 403, as for an account whose team or type may not do this. */
export function denied(error: Tagged): DropboxError {
  return new DropboxError(403, withSummary(error))
}

/** The header is left out when `retryAfter` is null; the body then says 1 second, its default. */
export function rateLimited(retryAfter: number | null, reason = 'too_many_requests'): DropboxError {
  const body = {
    error_summary: `${reason}/..`,
    error: { reason: { '.tag': reason }, retry_after: retryAfter ?? 1 },
  }
  return new DropboxError(429, body, retryAfter === null ? {} : { 'retry-after': String(retryAfter) })
}

export function badPathRoot(error: Tagged): DropboxError {
  return new DropboxError(422, withSummary(error))
}

function withSummary(error: Tagged): object {
  return { error_summary: `${summaryOf(error)}/${dots()}`, error }
}

/** The service ends summaries with a changing number of dots, so that nobody compares them. */
function dots(): string {
  return '.'.repeat(1 + Math.floor(Math.random() * 4))
}
