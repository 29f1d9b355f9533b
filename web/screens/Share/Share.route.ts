import type { ShareQuery } from '../../__generated__/ShareQuery.graphql.ts'
import query from '../../__generated__/ShareQuery$parameters.ts'
import { routeQuery } from '../../relay/routeQuery.ts'

/** The public page of a link: outside the layout, so that visitors need no account. */
export const shareRoute = routeQuery<ShareQuery>({
  path: '/shares/:shareId',
  query,
  variables: ({ pathname }) => ({ id: pathname.split('/')[2] ?? '' }),
  component: async () => (await import('./Share.tsx')).Share,
})
