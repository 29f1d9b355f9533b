import { ProviderError, type ProviderErrorCode, type ProviderErrorWhere } from '../errors.ts'
import { type HttpResponse, retryAfterMs } from '../shared/http.ts'

export const KIND = 'github'

/** An error response of GitHub (docs.github.com/rest, "Troubleshooting the REST API"). */
export type GithubFailure = {
  readonly status: number
  readonly message: string
  /** The refused fields of a 422. */
  readonly refused: readonly Refused[]
  /** The pause (ms) that a rate limit asks for; null: it is none. */
  readonly pauseMs: number | null
}
type Refused = { readonly field: string; readonly code: string; readonly message: string }

const BY_STATUS: Readonly<Record<number, ProviderErrorCode>> = {
  401: 'AuthExpired',
  403: 'Forbidden',
  404: 'NotFound',
  408: 'Transient',
  409: 'Conflict',
  410: 'NotFound',
  413: 'TooLarge',
  // Access is blocked for legal reasons.
  451: 'Forbidden',
}

/** Maps an error of GitHub to a ProviderError code. */
export function githubErrorCode(failure: GithubFailure): ProviderErrorCode {
  const { status, pauseMs } = failure
  if (pauseMs !== null) return 'RateLimited'
  if (status >= 500) return 'Transient'
  if (status !== 422) return BY_STATUS[status] ?? 'Permanent'
  if (failure.refused.some(({ code }) => code === 'already_exists')) return 'Conflict'
  if (refusedField(failure, 'size')) return 'TooLarge'
  // Another release is used.
  if (refusedField(failure, 'file_count')) return 'Transient'
  return refusedField(failure, 'name') || refusedField(failure, 'label') ? 'BadName' : 'Permanent'
}

function refusedField({ refused }: GithubFailure, name: string): boolean {
  return refused.some(({ field }) => field === name)
}

/** The release has as many assets as it can: "file_count limited to 1000 assets per release". */
export const isFull = (error: unknown): boolean =>
  error instanceof GithubError && refusedField(error.failure, 'file_count')

/** Releases need a commit: "Repository is empty." */
export const isWithoutCommit = (error: unknown): boolean =>
  error instanceof GithubError && /repository is empty/i.test(error.failure.message)

/** Of a limit without a stated time (docs.github.com/rest, "Rate limits for the REST API"). */
const UNSTATED_PAUSE_MS = 60_000
/** The clocks of GitHub and of this server differ. */
const LEAST_PAUSE_MS = 1_000

/** The body of an error: `{ message, errors?, documentation_url }`, or none. */
export function githubFailure(response: HttpResponse, body: unknown, now: number): GithubFailure {
  const { message, errors } = isObject(body) ? body : {}
  const text = typeof message === 'string' ? message : ''
  const { status } = response
  return {
    status,
    message: text,
    refused: (Array.isArray(errors) ? errors : []).filter(isObject).map(refusedOf),
    pauseMs: status === 403 || status === 429 ? pauseOf(response, text, now) : null,
  }
}

function refusedOf({ field, code, message }: Readonly<Record<string, unknown>>): Refused {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '')
  // "file_count limited to 1000 assets per release" has been seen without a field.
  return { field: text(field) || (text(message).split(' ')[0] ?? ''), code: text(code), message: text(message) }
}

/** GitHub answers 403 to a request too many, as to one that is not allowed. */
function pauseOf({ status, header }: HttpResponse, message: string, now: number): number | null {
  const stated = retryAfterMs(header('retry-after'), now)
  if (stated !== null) return stated
  if (header('x-ratelimit-remaining') === '0') {
    const reset = Number(header('x-ratelimit-reset')) * 1000
    return reset > 0 ? Math.max(LEAST_PAUSE_MS, reset - now) : UNSTATED_PAUSE_MS
  }
  return status === 429 || /rate limit|abuse detection/i.test(message) ? UNSTATED_PAUSE_MS : null
}

/** An error of GitHub, with what it refused. */
export class GithubError extends ProviderError {
  constructor(
    readonly failure: GithubFailure,
    where: ProviderErrorWhere,
  ) {
    const { status, pauseMs, refused } = failure
    // Without GitHub's message, which may contain names.
    const named = refused.map(({ field, code }) => `${field} ${code}`).find((text) => /^\w{1,40} \w{1,40}$/.test(text))
    super(
      githubErrorCode(failure),
      { ...where, status },
      {
        message: `GitHub answered ${status} (${named ?? 'no reason given'}).`,
        ...(pauseMs !== null && { retryAfterMs: pauseMs }),
      },
    )
  }
}

/** Without an error of GitHub. */
export function failed(operation: string, code: ProviderErrorCode, message: string): ProviderError {
  return new ProviderError(code, { provider: KIND, operation }, { message })
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
