import query, { type GroupCloudsQuery } from '../../__generated__/GroupCloudsQuery.graphql.ts'
import { routeQuery } from '../../relay/routeQuery.ts'

export const groupCloudsRoute = routeQuery<GroupCloudsQuery>({
  path: '/group-cloud',
  query,
  variables: () => ({}),
  component: async () => (await import('./GroupClouds.tsx')).GroupClouds,
})
