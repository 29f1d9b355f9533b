import { useEffect } from 'react'
import { fetchQuery, graphql, useLazyLoadQuery, useRelayEnvironment } from 'react-relay'
import type { useOpenFolderQuery } from '../../__generated__/useOpenFolderQuery.graphql.ts'
import { filesChanges } from '../../features/Live/liveEvents.ts'
import { useRetryKey } from '../../lib/retryKey.ts'
import { onLiveAgain } from '../../relay/liveAgain.ts'
import type { OpenFolder } from './FilesContext.ts'

const query = graphql`
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
          trashedAt
        }
      }
    }
  }
`

/** The folder of this id; null at the root; 'gone' when there is no such folder, or it is in the trash. Suspends. */
export function useOpenFolder(id: string | null): OpenFolder | null | 'gone' {
  const data = useLazyLoadQuery<useOpenFolderQuery>(
    query,
    { id: id ?? '', isRoot: id === null },
    { fetchPolicy: id === null ? 'store-only' : policyNow(), fetchKey: useRetryKey() },
  )
  const file = data.viewer?.file
  useFollowed(id, [id, ...(file?.path ?? []).map((entry) => entry.id)].join(' '))
  if (id === null) return null
  if (file?.kind !== 'FOLDER' || [file, ...file.path].some((one) => one.trashedAt)) return 'gone'
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

/**
 * Asks again for the folder when it, or one above it, has changed: it may have been moved, put into the trash or deleted elsewhere.
 * `above`: their ids.
 */
function useFollowed(id: string | null, above: string): void {
  const environment = useRelayEnvironment()
  useEffect(() => {
    if (id === null) return
    const look = () => {
      fetchQuery<useOpenFolderQuery>(environment, query, { id, isRoot: false }).subscribe({ error: () => undefined })
    }
    const stops = [
      onLiveAgain(look),
      filesChanges.listen(({ files, removedIds, truncated }) => {
        const isMeant = (one: string) => above.includes(one)
        if (truncated || removedIds.some(isMeant) || files.some((file) => isMeant(file.id))) look()
      }),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [environment, id, above])
}

/** Offline, what is known is enough: a request would only fail, and its error would come instead of what is known. */
const policyNow = () => (navigator.onLine ? 'store-and-network' : 'store-or-network')
