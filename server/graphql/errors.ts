import { GraphQLError } from 'graphql'
import { BusyError, DomainError, InvalidInputError, StorageFullError, TooManyRequestsError } from '../domain/errors.ts'
import { RETRY_AFTER_SECONDS, TROUBLE_MESSAGES, type Trouble, troubleOf } from '../lib/trouble.ts'

const MASKED_MESSAGE = 'The server could not do this. Please try again in a moment.'

/** Called with each masked error; `trouble`: a known cause, such as a full disk. */
export type Report = (error: unknown, trouble: Trouble | null) => void

/**
 * The error as clients see it: domain and GraphQL errors unchanged, except that each has a code; any other error masked and
 * passed to `report`.
 */
export function publicError(error: unknown, report: Report): Error {
  const cause = causeOf(error)
  if (cause instanceof DomainError) return atSamePlace(error, cause.message, extensionsOf(cause))
  if (cause instanceof GraphQLError)
    return isOfVariables(cause) ? atSamePlace(error, cause.message, INVALID) : (error as GraphQLError)
  const trouble = troubleOf(cause)
  report(cause, trouble)
  if (trouble) return atSamePlace(error, TROUBLE_MESSAGES[trouble.kind], unavailable(trouble))
  return atSamePlace(error, MASKED_MESSAGE, { code: 'INTERNAL' })
}

/** `spec`: the status is sent to clients that accept application/graphql-response+json, and 200 to others, as for invalid documents. */
const INVALID = { code: 'INVALID_INPUT', http: { spec: true, status: 400 } } as const

/** Variables that do not fit their types are refused before anything runs, so the error has neither a code nor a path. */
function isOfVariables({ extensions, path }: GraphQLError): boolean {
  return extensions.code === undefined && path === undefined
}

/** The original error inside the GraphQLErrors that wrap it. */
function causeOf(error: unknown): unknown {
  return error instanceof GraphQLError && error.originalError ? causeOf(error.originalError) : error
}

function extensionsOf(error: DomainError): Record<string, unknown> {
  if (error instanceof InvalidInputError) return { code: error.code, fields: error.fields }
  if (error instanceof TooManyRequestsError) return { code: error.code, retryAfterSeconds: error.retryAfterSeconds }
  if (error instanceof BusyError) return retryLater(error.code, 503, error.retryAfterSeconds)
  if (error instanceof StorageFullError) {
    return { code: error.code, neededBytes: error.neededBytes, freeBytes: error.freeBytes }
  }
  return { code: error.code }
}

function unavailable({ kind }: Trouble): Record<string, unknown> {
  const seconds = RETRY_AFTER_SECONDS[kind]
  return kind === 'DISK_FULL' ? retryLater('STORAGE_FULL', 507, seconds) : retryLater('NOT_READY', 503, seconds)
}

/** With the HTTP status and Retry-After of the REST API, for proxies and retrying clients. */
function retryLater(code: string, status: number, retryAfterSeconds: number): Record<string, unknown> {
  return { code, retryAfterSeconds, http: { status, headers: { 'retry-after': String(retryAfterSeconds) } } }
}

function atSamePlace(error: unknown, message: string, extensions: Record<string, unknown>): GraphQLError {
  if (!(error instanceof GraphQLError)) return new GraphQLError(message, { extensions })
  const { nodes, source, positions, path } = error
  return new GraphQLError(message, {
    extensions,
    ...(nodes && { nodes }),
    ...(source && { source }),
    ...(positions && { positions }),
    ...(path && { path }),
  })
}
