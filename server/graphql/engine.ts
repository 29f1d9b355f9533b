import { usePersistedOperations } from '@graphql-yoga/plugin-persisted-operations'
import { createYoga } from 'graphql-yoga'
import type { Context } from './context.ts'
import { documentPolicy } from './documentPolicy.ts'
import { publicError } from './errors.ts'
import { schema } from './schema.ts'

export type EngineDeps = {
  /** The web client's operations by their SHA-256, as relay-compiler writes them. */
  readonly persisted: Readonly<Record<string, string>>
  /** Told about errors that are masked. */
  readonly report: (error: unknown) => void
}

/** Yoga with our schema, limits and persisted operations. Limiting and reading bodies is the http layer's part. */
export function createEngine({ persisted, report }: EngineDeps) {
  return createYoga<Context>({
    schema,
    plugins: [
      usePersistedOperations<Context>({
        allowArbitraryOperations: true,
        getPersistedOperation: (id) => (Object.hasOwn(persisted, id) ? (persisted[id] ?? null) : null),
        customErrors: {
          notFound: refusal('PERSISTED_QUERY_NOT_FOUND', 'This operation is not known here. Please reload the page.'),
          keyNotFound: refusal('BAD_REQUEST', 'Must provide a query, or the id of a persisted one.'),
        },
      }),
      documentPolicy,
    ],
    maskedErrors: { maskError: (error) => publicError(error, report) },
    maxRequestBodySize: false,
    multipart: false,
    batching: false,
    cors: false,
    graphiql: false,
    landingPage: false,
    logging: false,
  })
}

function refusal(code: string, message: string) {
  return { message, extensions: { code, http: { status: 400 } } }
}
