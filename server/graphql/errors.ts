import { GraphQLError } from 'graphql'
import { DomainError, InvalidInputError, TooManyRequestsError } from '../domain/errors.ts'

const MASKED_MESSAGE = 'The server could not do this. Please try again in a moment.'

/** What a client sees of an error: what the domain or GraphQL says on purpose. Anything else is masked, and told to `report`. */
export function publicError(error: unknown, report: (error: unknown) => void): Error {
  const cause = causeOf(error)
  if (cause instanceof DomainError) return atSamePlace(error, cause.message, extensionsOf(cause))
  if (cause instanceof GraphQLError) return error as GraphQLError
  report(cause)
  return atSamePlace(error, MASKED_MESSAGE, { code: 'INTERNAL' })
}

/** The first thing thrown below the wrappers that GraphQL adds on its way up. */
function causeOf(error: unknown): unknown {
  return error instanceof GraphQLError && error.originalError ? causeOf(error.originalError) : error
}

function extensionsOf(error: DomainError): Record<string, unknown> {
  if (error instanceof InvalidInputError) return { code: error.code, fields: error.fields }
  if (error instanceof TooManyRequestsError) return { code: error.code, retryAfterSeconds: error.retryAfterSeconds }
  return { code: error.code }
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
