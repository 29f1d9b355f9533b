import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors, type ZodFastifySchemaValidationError } from 'fastify-type-provider-zod'
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
import type { RateLeft } from '../domain/viewer.ts'
import { RETRY_AFTER_SECONDS, TROUBLE_MESSAGES, type Trouble, tellTrouble, troubleOf } from '../lib/trouble.ts'

/** What HTTP itself refuses, beside the domain's codes. */
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

/** The one table from error codes to HTTP. The README lists it; tests compare the two. */
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

/** A refusal that is a matter of HTTP alone. `detail` is shown to people; `headers` go with the answer. */
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

/** Nothing that an administrator would look for in the log, or told there by itself. */
const EXPECTED: ReadonlySet<ProblemCode> = new Set<ProblemCode>(['STORAGE_FULL', 'CONTENT_UNAVAILABLE', 'NOT_READY'])
/** When nothing better is known. */
const RETRY_UNAVAILABLE_SECONDS = 5

/** Fastify's error handler of the whole app: maps what is known, logs and masks what is not. */
export function handleError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = toProblem(error)
  const trouble = problem.status >= 500 ? troubleBehind(error) : null
  if (trouble) tellTrouble(trouble, request.log)
  if (problem.status >= 500 && !EXPECTED.has(problem.code)) request.log.error({ err: error }, 'request failed')
  return sendProblem(reply.headers(headersOf(error)), problem)
}

export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  if (problem.status === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', RETRY_UNAVAILABLE_SECONDS)
  return reply
    .code(problem.status)
    .type('application/problem+json')
    .header('cache-control', 'no-store')
    .serializer(JSON.stringify)
    .send(problem)
}

/** Any thrown value as a problem; unknown ones become INTERNAL and say nothing about themselves. */
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
  if (hasZodFastifySchemaValidationErrors(error)) return invalidFields(error.validation)
  const known = fromFastify(error)
  if (known) return known
  const trouble = troubleBehind(error)
  if (trouble)
    return problemOf(trouble.kind === 'DISK_FULL' ? 'STORAGE_FULL' : 'NOT_READY', TROUBLE_MESSAGES[trouble.kind])
  return problemOf('INTERNAL', 'The server could not do this. Please try again in a moment.')
}

/** Of the server itself; what the domain or HTTP refuse on purpose is none. */
function troubleBehind(error: unknown): Trouble | null {
  return error instanceof DomainError || error instanceof HttpError ? null : troubleOf(error)
}

/** What a key may still call, on every answer to it. */
export function rateHeaders(rate: RateLeft | undefined): Record<string, string> {
  if (!rate) return {}
  return {
    'ratelimit-limit': String(rate.limit),
    'ratelimit-remaining': String(rate.remaining),
    'ratelimit-reset': String(rate.resetSeconds),
  }
}

/** Headers that belong to an error wherever it is thrown. */
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

function invalidFields(issues: readonly ZodFastifySchemaValidationError[]): Problem {
  const fields = issues.flatMap(fieldsOf)
  return problemOf('INVALID_INPUT', fields.map(sentenceOf).join(' '), fields)
}

/** A body that is missing, or of another kind, is wrong as a whole: it has no path. */
function sentenceOf({ path, message }: FieldError): string {
  return path === '' ? message : `${path}: ${message}`
}

function fieldsOf({ instancePath, message, params }: ZodFastifySchemaValidationError): FieldError[] {
  const path = instancePath.slice(1).replaceAll('/', '.')
  const unknown = params.keys
  if (!Array.isArray(unknown)) return [{ path, message: message ?? 'This is not valid.' }]
  const prefix = path && `${path}.`
  return unknown.map((key) => ({ path: `${prefix}${key}`, message: 'There is no such field.' }))
}

function fromFastify(error: unknown): Problem | null {
  const { code, statusCode } = error as Partial<FastifyError>
  // Whoever sent half a body and went.
  if (code === 'ECONNRESET' && statusCode === 400) return problemOf('MALFORMED_BODY', 'The request broke off.')
  if (!code?.startsWith('FST_') || statusCode === undefined || statusCode >= 500) return null
  if (statusCode === 413) return problemOf('TOO_LARGE', 'The request is larger than what is accepted here.')
  if (statusCode === 415) return problemOf('UNSUPPORTED_MEDIA_TYPE', 'This content type is not accepted here.')
  // A path parameter longer than any id names nothing.
  if (statusCode === 404 || statusCode === 414) return problemOf('NOT_FOUND', 'There is nothing at this address.')
  return problemOf('MALFORMED_BODY', 'The request is malformed. Please check its headers and body.')
}
