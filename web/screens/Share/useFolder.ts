import { useState } from 'react'
import { fetchQuery, graphql, useLazyLoadQuery, useRelayEnvironment } from 'react-relay'
import type { useFolderQuery, useFolderQuery$data } from '../../__generated__/useFolderQuery.graphql.ts'
import { useRetryKey } from '../../ui/RetryBoundary.tsx'
import { toast } from '../../ui/toast.ts'
import { messages } from './messages.ts'

const query = graphql`
  query useFolderQuery($id: ID!, $folderId: ID, $after: String) {
    share(id: $id) {
      files(folderId: $folderId, first: 100, after: $after) {
        path {
          fileId
          name
        }
        edges {
          node {
            fileId
            name
            kind
            category
            mimeType
            size
            childCount
            durationMs
            thumbnailPath
            mediumPath: thumbnailPath(size: MEDIUM)
          }
        }
        pageInfo {
          endCursor
          hasNextPage
        }
      }
    }
  }
`

type Page = NonNullable<NonNullable<useFolderQuery$data['share']>['files']>
/** Named as the address of the page and REST name it. */
type Named<Node> = Node & { readonly id: string }
export type SharedEntry = Named<Page['edges'][number]['node']>
export type PathEntry = Named<Page['path'][number]>
const named = <Node extends { readonly fileId: string }>(node: Node): Named<Node> => ({ ...node, id: node.fileId })

/**
 * What a shared folder holds, page by page. Suspends for the first; null when the folder is not in the share any more.
 */
export function useFolder(shareId: string, folderId: string | null) {
  const environment = useRelayEnvironment()
  const first = { id: shareId, folderId, after: null }
  const fetchKey = useRetryKey()
  const { share } = useLazyLoadQuery<useFolderQuery>(query, first, { fetchPolicy: 'store-or-network', fetchKey })
  const [more, setMore] = useState<readonly Page[]>([])
  const [isLoading, setLoading] = useState(false)
  const page = share?.files
  if (!page) return null
  const pages = [page, ...more]
  const { pageInfo } = pages.at(-1) ?? page
  const showMore = () => {
    setLoading(true)
    fetchQuery<useFolderQuery>(environment, query, { ...first, after: pageInfo.endCursor ?? null })
      .toPromise()
      .then((answer) => {
        const next = answer?.share?.files
        if (next) setMore([...more, next])
      })
      .catch(() => toast.error(messages.unlockFailed))
      .finally(() => setLoading(false))
  }
  const entries = pages.flatMap(({ edges }) => edges.map(({ node }) => named(node)))
  return { entries, path: page.path.map(named), hasMore: pageInfo.hasNextPage, isLoading, showMore }
}
