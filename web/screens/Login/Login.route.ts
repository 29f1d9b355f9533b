import query, { type LoginQuery } from '../../__generated__/LoginQuery.graphql.ts'
import { routeQuery } from '../../relay/routeQuery.ts'

export const loginRoute = routeQuery<LoginQuery>({
  path: '/login',
  query,
  variables: () => ({}),
  component: async () => (await import('./Login.tsx')).Login,
})
