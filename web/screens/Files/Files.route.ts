import query, { type FilesScreenQuery } from '../../__generated__/FilesScreenQuery.graphql.ts'
import { areFoldersFirst } from '../../lib/listChoices.ts'
import { currentEnvironment } from '../../relay/environment.ts'
import type { ScreenRoute } from '../../relay/navigation.ts'
import { routeQuery } from '../../relay/routeQuery.ts'
import { openList } from './list/listCache.ts'
import { listKeyOf, readUrlState, viewOfPath } from './urlState.ts'

const PATHS = [
  '/file-manager',
  '/file-manager/my-drive',
  '/file-manager/shared',
  '/file-manager/starred',
  '/file-manager/trash',
]

/** The five views of the file manager. Their first page starts to load together with the code. */
export const filesRoutes: readonly ScreenRoute[] = PATHS.map((path) =>
  routeQuery<FilesScreenQuery>({
    path,
    query,
    variables: (url) => {
      openList(
        currentEnvironment(),
        listKeyOf(viewOfPath(url.pathname), readUrlState(url.searchParams), areFoldersFirst()),
      )
      return {}
    },
    component: async () => (await import('./FilesScreen.tsx')).FilesScreen,
  }),
)
