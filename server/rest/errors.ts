import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import {
  BusyError,
  ContentUnavailableError,
  DomainError,
  type ErrorCode,
  type FieldError,
  FilesWouldBeLostError,
  InvalidInputError,
  StorageFullError,
  TooManyRequestsError,
  UnauthenticatedError,
  UploadOffsetMismatchError,
} from '../domain/errors.ts'
import { logTrouble, RETRY_AFTER_SECONDS, TROUBLE_MESSAGES, type Trouble, troubleOf } from '../lib/trouble.ts'
import { rateHeaders } from './request.ts'

/** Codes of the HTTP layer, in addition to the domain's. */
export type HttpErrorCode =
  | 'MALFORMED_BODY'
  | 'FOREIGN_ORIGIN'
  | 'ORIGIN_REQUIRED'
  | 'METHOD_NOT_ALLOWED'
  | 'UNKNOWN_HOST'
  | 'REQUEST_TIMEOUT'
  | 'PRECONDITION_FAILED'
  | 'UPLOAD_FINAL'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'RANGE_NOT_SATISFIABLE'
  | 'HEADERS_TOO_LARGE'
  | 'INTERNAL'

export type ProblemCode = ErrorCode | HttpErrorCode

/** HTTP status and title of every error code. docs/api.md lists them; `npm run doc-tables` writes the list. */
export const PROBLEMS: Readonly<Record<ProblemCode, { readonly status: number; readonly title: string }>> = {
  INVALID_INPUT: { status: 400, title: 'Something in the request is not right' },
  MALFORMED_BODY: { status: 400, title: 'The request could not be read' },
  UNAUTHENTICATED: { status: 401, title: 'Not signed in' },
  PASSWORD_REQUIRED: { status: 401, title: 'A password is needed' },
  INVALID_TOKEN: { status: 400, title: 'The token cannot be used' },
  WRONG_PASSWORD: { status: 403, title: 'The password is not right' },
  REGISTRATION_CLOSED: { status: 403, title: 'Registration is closed' },
  NOT_ADMINISTRATOR: { status: 403, title: 'Only for the administrator' },
  KEY_REFUSED: { status: 403, title: 'This key may not do that' },
  FOREIGN_ORIGIN: { status: 403, title: 'The request came from another site' },
  ORIGIN_REQUIRED: { status: 403, title: 'The request does not say where it comes from' },
  NOT_FOUND: { status: 404, title: 'Not found' },
  NO_THUMBNAIL: { status: 404, title: 'There is no thumbnail' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'Method not allowed' },
  REQUEST_TIMEOUT: { status: 408, title: 'The request took too long' },
  AUTHORIZATION_FAILED: { status: 400, title: 'The authorization cannot be used' },
  ACCOUNT_CONNECTED: { status: 409, title: 'This login is connected already' },
  PROVIDER_UNAVAILABLE: { status: 409, title: 'The provider cannot be connected on this server' },
  OTHER_LOGIN: { status: 409, title: 'This is another login' },
  FILES_WOULD_BE_LOST: { status: 409, title: 'Files would be lost' },
  NAME_TAKEN: { status: 409, title: 'The name is taken' },
  EMAIL_TAKEN: { status: 409, title: 'The account cannot be created' },
  FOLDER_CYCLE: { status: 409, title: 'A folder cannot be inside itself' },
  CONFLICT: { status: 409, title: 'Not possible in the present state' },
  UPLOAD_OFFSET_MISMATCH: { status: 409, title: 'The upload continues elsewhere' },
  PRECONDITION_FAILED: { status: 412, title: 'Precondition failed' },
  TOO_LARGE: { status: 413, title: 'Too large' },
  TYPE_REFUSED: { status: 415, title: 'This type of file is not accepted' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'Unsupported content type' },
  RANGE_NOT_SATISFIABLE: { status: 416, title: 'Range not satisfiable' },
  UNKNOWN_HOST: { status: 421, title: 'Not a name of this server' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, title: 'Idempotency-Key used before' },
  UPLOAD_FINAL: { status: 403, title: 'The upload was put together from others' },
  UPLOAD_INCOMPLETE: { status: 400, title: 'The upload is incomplete' },
  CHECKSUM_MISMATCH: { status: 460, title: 'The checksum does not match' },
  TOO_MANY_REQUESTS: { status: 429, title: 'Too many requests' },
  HEADERS_TOO_LARGE: { status: 431, title: 'The headers are too large' },
  PROVIDER_FAILED: { status: 502, title: 'The provider could not be asked' },
  INTERNAL: { status: 500, title: 'Something went wrong' },
  NOT_READY: { status: 503, title: 'Not ready' },
  CONTENT_UNAVAILABLE: { status: 503, title: 'The content cannot be read now' },
  STORAGE_FULL: { status: 507, title: 'Storage full' },
}

export type Problem = {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly code: ProblemCode
  readonly detail: string
  readonly errors?: readonly FieldError[]
  readonly lostFiles?: number
  readonly lostBytes?: number
  readonly neededBytes?: number
  readonly freeBytes?: number
}

/** An error of the HTTP layer. `detail` is shown to people; `headers` are added to the response. */
export class HttpError extends Error {
  constructor(
    readonly code: HttpErrorCode | 'NOT_FOUND' | 'TOO_LARGE',
    detail: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail)
  }
}

export function problemOf(code: ProblemCode, detail: string, errors?: readonly FieldError[]): Problem {
  const { status, title } = PROBLEMS[code]
  return { type: `/api/v1/docs#${code}`, title, status, code, detail, ...(errors && { errors }) }
}

/** 5xx codes that are not logged as failed requests: expected, or logged elsewhere. */
const EXPECTED: ReadonlySet<ProblemCode> = new Set<ProblemCode>(['STORAGE_FULL', 'CONTENT_UNAVAILABLE', 'NOT_READY'])
/** Default of `Retry-After` for 503. */
const DEFAULT_RETRY_SECONDS = 5

/** Fastify's error handler for the whole app: maps known errors to problems, logs and masks unknown ones. */
export function handleError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = toProblem(error)
  const trouble = problem.status >= 500 ? troubleBehind(error) : null
  if (trouble) logTrouble(trouble, request.log)
  if (problem.status >= 500 && !EXPECTED.has(problem.code)) request.log.error({ err: error }, 'request failed')
  return sendProblem(reply.headers(headersOf(error)), problem)
}

export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  if (problem.status === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', DEFAULT_RETRY_SECONDS)
  return reply
    .code(problem.status)
    .type('application/problem+json')
    .header('cache-control', 'no-store')
    .serializer(JSON.stringify)
    .send(problem)
}

/** Maps any thrown value to a problem; unknown ones become INTERNAL without details. */
function toProblem(error: unknown): Problem {
  if (error instanceof InvalidInputError) return problemOf(error.code, error.message, error.fields)
  if (error instanceof FilesWouldBeLostError) {
    const { code, message, lostFiles, lostBytes } = error
    return { ...problemOf(code, message), lostFiles, lostBytes }
  }
  if (error instanceof StorageFullError) {
    const { code, message, neededBytes, freeBytes } = error
    return { ...problemOf(code, message), neededBytes, freeBytes }
  }
  if (error instanceof DomainError || error instanceof HttpError) return problemOf(error.code, error.message)
  const known = fromFastify(error)
  if (known) return known
  const trouble = troubleBehind(error)
  if (trouble)
    return problemOf(trouble.kind === 'DISK_FULL' ? 'STORAGE_FULL' : 'NOT_READY', TROUBLE_MESSAGES[trouble.kind])
  return problemOf('INTERNAL', 'Something went wrong on the server. Please try again in a moment.')
}

/** A failure of database or disk behind an error; null for deliberate refusals of the domain and HTTP. */
function troubleBehind(error: unknown): Trouble | null {
  return error instanceof DomainError || error instanceof HttpError ? null : troubleOf(error)
}

/** Response headers of an error. */
function headersOf(error: unknown): Readonly<Record<string, string>> {
  if (error instanceof HttpError) return error.headers
  if (error instanceof UnauthenticatedError) return { 'www-authenticate': 'Bearer' }
  if (error instanceof BusyError) return { 'retry-after': String(error.retryAfterSeconds) }
  if (error instanceof ContentUnavailableError && error.retryAfterSeconds !== null) {
    return { 'retry-after': String(error.retryAfterSeconds) }
  }
  if (error instanceof TooManyRequestsError) {
    const { retryAfterSeconds, limit } = error
    const rate = limit === null ? undefined : { limit, remaining: 0, resetSeconds: retryAfterSeconds }
    return { 'retry-after': String(retryAfterSeconds), ...rateHeaders(rate) }
  }
  if (error instanceof UploadOffsetMismatchError) return { 'upload-offset': String(error.offset) }
  if (error instanceof StorageFullError) return { 'x-free-bytes': String(error.freeBytes) }
  const trouble = troubleBehind(error)
  return trouble ? { 'retry-after': String(RETRY_AFTER_SECONDS[trouble.kind]) } : {}
}

function fromFastify(error: unknown): Problem | null {
  const { code, statusCode } = error as Partial<FastifyError>
  // The client disconnected in the middle of the body.
  if (code === 'ECONNRESET' && statusCode === 400)
    return problemOf('MALFORMED_BODY', 'The connection was lost during the request.')
  if (!code?.startsWith('FST_') || statusCode === undefined || statusCode >= 500) return null
  if (statusCode === 413) return problemOf('TOO_LARGE', 'The request is too large.')
  if (statusCode === 415) return problemOf('UNSUPPORTED_MEDIA_TYPE', 'This content type is not accepted here.')
  // A path parameter longer than any id does not exist.
  if (statusCode === 404 || statusCode === 414) return problemOf('NOT_FOUND', 'There is nothing at this address.')
  if (code === 'FST_ERR_CTP_INVALID_JSON_BODY') return problemOf('MALFORMED_BODY', 'The body is not valid JSON.')
  return problemOf('MALFORMED_BODY', 'The request is malformed. Please check its headers and body.')
}
