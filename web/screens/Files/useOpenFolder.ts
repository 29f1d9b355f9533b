import { graphql, useLazyLoadQuery } from 'react-relay'
import type { useOpenFolderQuery } from '../../__generated__/useOpenFolderQuery.graphql.ts'
import { useRetryKey } from '../../lib/retryKey.ts'
import type { OpenFolder } from './FilesContext.ts'

/** The folder of this id; null at the root; 'gone' when there is no such folder, or it is in the trash. Suspends. */
export function useOpenFolder(id: string | null): OpenFolder | null | 'gone' {
  const data = useLazyLoadQuery<useOpenFolderQuery>(
    graphql`
      query useOpenFolderQuery($id: ID!, $isRoot: Boolean!) {
        viewer @skip(if: $isRoot) {
          file(id: $id) {
            id
            name
            kind
            trashedAt
            childCount
            rights { write }
            asOf
            account { id }
            path {
              id
              name
            }
          }
        }
      }
    `,
    { id: id ?? '', isRoot: id === null },
    { fetchPolicy: id === null ? 'store-only' : policyNow(), fetchKey: useRetryKey() },
  )
  if (id === null) return null
  const file = data.viewer?.file
  if (file?.kind !== 'FOLDER' || file.trashedAt) return 'gone'
  return {
    id: file.id,
    name: file.name,
    path: file.path,
    childCount: file.childCount ?? null,
    inPlace: file.rights !== null && file.rights !== undefined,
    accountId: file.account?.id ?? null,
    asOf: file.asOf ?? null,
    canCreate: file.rights?.write !== false,
  }
}

/** Offline, what is known is enough: a request would only fail, and its error would come instead of what is known. */
const policyNow = () => (navigator.onLine ? 'store-and-network' : 'store-or-network')
