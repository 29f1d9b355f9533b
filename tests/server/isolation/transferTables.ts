import type { GraphqlRequest } from './graphqlTable.ts'
import type { Table } from './ids.ts'
import type { RestRequest } from './restTable.ts'

const COMMANDS = ['pause', 'resume', 'cancel', 'retry'] as const

/** Rows of the tables for transfers. */
export const TRANSFERS_REST: Table<RestRequest> = {
  'GET /api/v1/transfers': {},
  'GET /api/v1/transfers/{id}': {
    id: ({ transfer }) => ({ path: `/api/v1/transfers/${transfer}`, init: { method: 'GET' } }),
  },
  ...Object.fromEntries(
    COMMANDS.map((command) => [
      `POST /api/v1/transfers/{id}/${command}`,
      {
        id: ({ transfer }) => ({ path: `/api/v1/transfers/${transfer}/${command}`, init: { method: 'POST' } }),
      } satisfies Table<RestRequest>[string],
    ]),
  ),
}

export const TRANSFERS_GRAPHQL: Table<GraphqlRequest> = Object.fromEntries(
  COMMANDS.map((command) => {
    const name = `${command}Transfer`
    const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`
    const query = `mutation($input: ${type}!) { ${name}(input: $input) { __typename ... on Error { code message } } }`
    const row: Table<GraphqlRequest>[string] = {
      'input.id': ({ transfer }) => ({ query, variables: { input: { id: transfer } } }),
    }
    return [`Mutation.${name}`, row]
  }),
)
