import type { DashboardQuery } from '../../__generated__/DashboardQuery.graphql.ts'
import query from '../../__generated__/DashboardQuery$parameters.ts'
import { routeQuery } from '../../relay/routeQuery.ts'

export const dashboardRoute = routeQuery<DashboardQuery>({
  path: '/dashboard',
  query,
  variables: () => ({}),
  component: async () => (await import('./Dashboard.tsx')).Dashboard,
})
