import { GraphQLError, NoSchemaIntrospectionCustomRule, parse } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { Context } from './context.ts'
import { documentLimits, MAX_QUERY_LENGTH, MAX_TOKENS } from './limits.ts'

const SUGGESTION = / Did you mean .+\?$/

/** What documents may be, by who sends them: limits for all; the schema's shape is told to the signed-in only. */
export const documentPolicy: Plugin<Context, Context> = {
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
