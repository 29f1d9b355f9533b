import type { RouteObject } from 'react-router'
import query, { type LayoutQuery } from '../../__generated__/LayoutQuery.graphql.ts'
import { RouteError } from '../../relay/RouteError.tsx'
import { routeQuery } from '../../relay/routeQuery.tsx'

/** Everything that needs a signed-in person, inside the sidebar's frame. A screen that fails leaves the frame standing. */
export function layoutRoute(children: RouteObject[]): RouteObject {
  return {
    ...routeQuery<LayoutQuery>({
      query,
      variables: () => ({}),
      component: async () => (await import('./Layout.tsx')).Layout,
    }),
    children: [{ ErrorBoundary: RouteError, children }],
  }
}
