import query, { type RegisterQuery } from '../../__generated__/RegisterQuery.graphql.ts'
import { routeQuery } from '../../relay/routeQuery.ts'

export const registerRoute = routeQuery<RegisterQuery>({
  path: '/register',
  query,
  variables: ({ searchParams }) => ({ invite: searchParams.get('invite') ?? '' }),
  component: async () => (await import('./Register.tsx')).Register,
})
