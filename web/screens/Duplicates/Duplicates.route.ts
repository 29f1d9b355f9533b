import type { DuplicatesQuery } from '../../__generated__/DuplicatesQuery.graphql.ts'
import query from '../../__generated__/DuplicatesQuery$parameters.ts'
import { routeQuery } from '../../relay/routeQuery.ts'

/** `?folder=<id>`: only what is in this folder. */
export const duplicatesRoute = routeQuery<DuplicatesQuery>({
  path: '/file-manager/duplicates',
  query,
  variables: ({ searchParams }) => {
    const folder = searchParams.get('folder')
    const filter = folder === null ? {} : { parentId: folder }
    return { filter, scope: filter, first: 50, folder: folder ?? '', inFolder: folder !== null }
  },
  component: async () => (await import('./Duplicates.tsx')).Duplicates,
})
