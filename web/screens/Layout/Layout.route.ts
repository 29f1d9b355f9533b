import query, { type LayoutQuery } from '../../__generated__/LayoutQuery.graphql.ts'
import type { ScreenRoute } from '../../relay/navigation.ts'
import { routeQuery } from '../../relay/routeQuery.ts'

/**
 * Everything that needs a signed-in person, inside the sidebar's frame. A screen that fails leaves the frame standing.
 */
export function layoutRoute(children: readonly ScreenRoute[]): ScreenRoute {
  const layout = routeQuery<LayoutQuery>({
    query,
    variables: () => ({}),
    component: async () => (await import('./Layout.tsx')).Layout,
  })
  return { ...layout, children }
}
