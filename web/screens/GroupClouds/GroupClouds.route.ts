import type { GroupCloudsQuery } from '../../__generated__/GroupCloudsQuery.graphql.ts'
import query from '../../__generated__/GroupCloudsQuery$parameters.ts'
import { routeQuery } from '../../relay/routeQuery.ts'

export const groupCloudsRoute = routeQuery<GroupCloudsQuery>({
  path: '/group-cloud',
  query,
  variables: () => ({}),
  component: async () => (await import('./GroupClouds.tsx')).GroupClouds,
})
