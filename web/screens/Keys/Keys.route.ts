import type { KeysQuery } from '../../__generated__/KeysQuery.graphql.ts'
import query from '../../__generated__/KeysQuery$parameters.ts'
import { routeQuery } from '../../relay/routeQuery.ts'

export const keysRoute = routeQuery<KeysQuery>({
  path: '/key-management',
  query,
  variables: () => ({}),
  component: async () => (await import('./Keys.tsx')).Keys,
})
