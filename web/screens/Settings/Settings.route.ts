import type { SettingsQuery } from '../../__generated__/SettingsQuery.graphql.ts'
import query from '../../__generated__/SettingsQuery$parameters.ts'
import { routeQuery } from '../../relay/routeQuery.ts'

export const settingsRoute = routeQuery<SettingsQuery>({
  path: '/settings',
  query,
  variables: () => ({}),
  component: async () => (await import('./Settings.tsx')).Settings,
})
