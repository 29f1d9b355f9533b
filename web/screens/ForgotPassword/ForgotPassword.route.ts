import query, { type ForgotPasswordQuery } from '../../__generated__/ForgotPasswordQuery.graphql.ts'
import { routeQuery } from '../../relay/routeQuery.ts'

export const forgotPasswordRoute = routeQuery<ForgotPasswordQuery>({
  path: '/forgot-password',
  query,
  variables: () => ({}),
  component: async () => (await import('./ForgotPassword.tsx')).ForgotPassword,
})
