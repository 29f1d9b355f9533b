import type { GraphqlRequest } from './graphqlTable.ts'
import type { Table } from './ids.ts'
import type { RestRequest } from './restTable.ts'

/** Rows of the tables for the log of what was done. */
export const ACTIVITY_REST: Table<RestRequest> = {
  'GET /api/v1/changes': {},
  'GET /api/v1/activity': {
    subjectId: ({ file }) => ({ path: `/api/v1/activity?subjectId=${file}`, init: { method: 'GET' } }),
    fileId: ({ file }) => ({ path: `/api/v1/activity?fileId=${file}`, init: { method: 'GET' } }),
  },
}

export const ACTIVITY_GRAPHQL: Table<GraphqlRequest> = {
  'User.activities': {
    subjectId: ({ node }) => ({
      query: 'query($id: ID) { viewer { activities(subjectId: $id) { edges { node { sentence } } } } }',
      variables: { id: node },
    }),
    fileId: ({ file }) => ({
      query: 'query($id: ID) { viewer { activities(fileId: $id) { edges { node { sentence } } } } }',
      variables: { id: file },
    }),
  },
}
