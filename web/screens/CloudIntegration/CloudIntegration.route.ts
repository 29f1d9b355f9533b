import type { CloudIntegrationQuery } from '../../__generated__/CloudIntegrationQuery.graphql.ts'
import query from '../../__generated__/CloudIntegrationQuery$parameters.ts'
import { routeQuery } from '../../relay/routeQuery.ts'

export const cloudIntegrationRoute = routeQuery<CloudIntegrationQuery>({
  path: '/cloud-integration',
  query,
  variables: () => ({}),
  component: async () => (await import('./CloudIntegration.tsx')).CloudIntegration,
})
