import { usePersistedOperations } from '@graphql-yoga/plugin-persisted-operations'
import { createYoga } from 'graphql-yoga'
import type { Context } from './context.ts'
import { documentPolicy } from './documentPolicy.ts'
import { publicError, type Report } from './errors.ts'
import { schema } from './schema.ts'

export type EngineDeps = {
  /** The web client's operations by their SHA-256, as relay-compiler writes them. */
  readonly persisted: Readonly<Record<string, string>>
  /** Told about errors that are masked. */
  readonly report: Report
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
          // Texts are not learned from callers. Clients of automatic persisted queries know this answer, Apollo's by its code
          // and urql's by its message: they send the text from then on, instead of each operation twice.
          notFound: {
            message: 'PersistedQueryNotSupported',
            extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED', http: { status: 200 } },
          },
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
