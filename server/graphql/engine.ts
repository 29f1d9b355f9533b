import { usePersistedOperations } from '@graphql-yoga/plugin-persisted-operations'
import { GraphQLError, NoSchemaIntrospectionCustomRule, parse } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import type { Context } from './context.ts'
import { publicError, type Report } from './errors.ts'
import { documentLimits, MAX_QUERY_LENGTH, MAX_TOKENS } from './limits.ts'
import { schema } from './schema.ts'

export type EngineDeps = {
  /** The web client's operations by their SHA-256, as relay-compiler writes them. */
  readonly persisted: Readonly<Record<string, string>>
  /** Called with each error that is masked. */
  readonly report: Report
}

/** GraphQL Yoga with our schema, limits and persisted operations. The http layer reads and limits bodies. */
export function createEngine({ persisted, report }: EngineDeps) {
  return createYoga<Context>({
    schema,
    plugins: [
      usePersistedOperations<Context>({
        allowArbitraryOperations: true,
        getPersistedOperation: (id) => (Object.hasOwn(persisted, id) ? (persisted[id] ?? null) : null),
        customErrors: {
          // Callers cannot register operations. Clients with automatic persisted queries recognise this answer (Apollo by its
          // code, urql by its message) and then send the text of each operation instead of trying its hash first.
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

const SUGGESTION = / Did you mean .+\?$/

/** Limits documents of all callers, and hides the schema (introspection, suggestions) from callers that are not signed in. */
const documentPolicy: Plugin<Context, Context> = {
  onParse({ params: { source }, setParseFn }) {
    if (source.toString().length > MAX_QUERY_LENGTH) {
      const message = `An operation may have at most ${MAX_QUERY_LENGTH} characters.`
      throw new GraphQLError(message, { extensions: { code: 'LIMIT_EXCEEDED', http: { status: 400, spec: true } } })
    }
    setParseFn((text: string) => parse(text, { maxTokens: MAX_TOKENS }))
  },
  onValidate({ context, addValidationRule }) {
    addValidationRule(documentLimits)
    if (!context.viewer()) addValidationRule(NoSchemaIntrospectionCustomRule)
  },
  onExecutionResult({ context, result, setResult }) {
    if (context.viewer() || !result || Array.isArray(result) || !('errors' in result) || !result.errors) return
    setResult({ ...result, errors: result.errors.map(withoutSuggestion) })
  },
}

function withoutSuggestion(error: GraphQLError): GraphQLError {
  if (!SUGGESTION.test(error.message)) return error
  const { nodes, path, extensions } = error
  const place = { ...(nodes && { nodes }), ...(path && { path }) }
  return new GraphQLError(error.message.replace(SUGGESTION, ''), { ...place, extensions })
}
