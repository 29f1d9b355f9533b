import type { GraphqlRequest } from './graphqlTable.ts'
import type { Table } from './ids.ts'
import type { RestRequest } from './restTable.ts'

const COMMANDS = ['pause', 'resume', 'cancel', 'retry', 'undo'] as const

/** Rows of the tables for jobs. */
export const JOBS_REST: Table<RestRequest> = {
  'GET /api/v1/jobs': {},
  'GET /api/v1/jobs/{id}': {
    id: ({ job }) => ({ path: `/api/v1/jobs/${job}`, init: { method: 'GET' } }),
  },
  ...Object.fromEntries(
    COMMANDS.map((command) => [
      `POST /api/v1/jobs/{id}/${command}`,
      {
        id: ({ job }) => ({ path: `/api/v1/jobs/${job}/${command}`, init: { method: 'POST' } }),
      } satisfies Table<RestRequest>[string],
    ]),
  ),
}

const PREVIEW = `query($ids: [ID!]!, $parentId: ID) {
  viewer { jobPreview(kind: COPY, ids: $ids, parentId: $parentId) { files bytes isCarried toAccount { name } } } }`

export const JOBS_GRAPHQL: Table<GraphqlRequest> = {
  'User.jobPreview': {
    ids: ({ file }) => ({ query: PREVIEW, variables: { ids: [file] } }),
    parentId: ({ file, own }) => ({ query: PREVIEW, variables: { ids: [own.file], parentId: file } }),
  },
  ...Object.fromEntries(
    COMMANDS.map((command) => {
      const name = `${command}Job`
      const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`
      const query = `mutation($input: ${type}!) { ${name}(input: $input) { __typename ... on Error { code message } } }`
      const row: Table<GraphqlRequest>[string] = {
        'input.id': ({ job }) => ({ query, variables: { input: { id: job } } }),
      }
      return [`Mutation.${name}`, row]
    }),
  ),
}
