import type { GraphqlRequest } from './graphqlTable.ts'
import type { Table } from './ids.ts'
import type { RestRequest } from './restTable.ts'

const at = (method: string, path: string): RestRequest => ({ path: `/api/v1/keys/${path}`, init: { method } })

/** Rows of the tables for API keys. */
export const KEYS_REST: Table<RestRequest> = {
  'GET /api/v1/keys': {},
  'POST /api/v1/keys': {},
  'POST /api/v1/keys/{id}/regenerate': { id: ({ apiKey }) => at('POST', `${apiKey}/regenerate`) },
  'DELETE /api/v1/keys/{id}': { id: ({ apiKey }) => at('DELETE', apiKey) },
  'GET /api/v1/keys/{id}/usage': { id: ({ apiKey }) => at('GET', `${apiKey}/usage`) },
}

const change = (name: 'regenerateApiKey' | 'revokeApiKey', type: string): Table<GraphqlRequest>[string] => ({
  'input.id': ({ apiKey }) => ({
    query: `mutation($input: ${type}!) { ${name}(input: $input) { __typename ... on Error { code message } } }`,
    variables: { input: { id: apiKey } },
  }),
})

export const KEYS_GRAPHQL: Table<GraphqlRequest> = {
  'Mutation.regenerateApiKey': change('regenerateApiKey', 'RegenerateApiKeyInput'),
  'Mutation.revokeApiKey': change('revokeApiKey', 'RevokeApiKeyInput'),
}
