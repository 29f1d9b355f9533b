import { useMemo, useRef, useState } from 'react'
import { fetchQuery, graphql, useLazyLoadQuery, useRelayEnvironment } from 'react-relay'
import type {
  useFolderQuery,
  useFolderQuery$data,
  useFolderQuery$variables,
} from '../../__generated__/useFolderQuery.graphql.ts'
import { useRetryKey } from '../../lib/retryKey.ts'
import { toast } from '../../ui/toast.ts'
import { messages } from './messages.ts'

const query = graphql`
  query useFolderQuery(
    $id: ID!
    $folderId: ID
    $first: Int!
    $after: String
    $order: SharedFileOrder!
    $isPhotos: Boolean!
    $withMonths: Boolean!
  ) {
    share(id: $id) {
      photoMonths(folderId: $folderId) @include(if: $withMonths) {
        month
        count
      }
      files(folderId: $folderId, first: $first, after: $after, order: $order) {
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
            largePath: thumbnailPath(size: LARGE) @include(if: $isPhotos)
            updatedAt @include(if: $isPhotos)
            picture @include(if: $isPhotos) {
              width
              height
              takenAt
            }
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

/** What a shared folder holds, or with `isPhotos` its photos and videos by date, page by page. */
export type Folder = NonNullable<ReturnType<typeof useFolder>>

/** Suspends for the first page; null when the folder is not in the share any more. */
export function useFolder(shareId: string, folderId: string | null, isPhotos: boolean) {
  const variables: useFolderQuery$variables = {
    id: shareId,
    folderId,
    first: isPhotos ? 200 : 100,
    after: null,
    order: isPhotos ? 'TAKEN' : 'NAME',
    isPhotos,
    withMonths: isPhotos,
  }
  const fetchKey = useRetryKey()
  const { share } = useLazyLoadQuery<useFolderQuery>(query, variables, { fetchPolicy: 'store-or-network', fetchKey })
  const first = share?.files
  const { pages, isLoading, read } = usePages(first, variables)
  const tried = useRef(0)
  const entries = useMemo(() => pages.flatMap(({ edges }) => edges.map(({ node }) => named(node))), [pages])
  if (!first) return null
  const hasMore = pages.at(-1)?.pageInfo.hasNextPage ?? false
  return {
    entries,
    path: first.path.map(named),
    months: share.photoMonths ?? NO_MONTHS,
    hasMore,
    isLoading,
    /** Resolves once so many entries were read, or no more could be. */
    readTo: (count: number) => read(count),
    showMore: () => void read(entries.length + 1),
    /** The next page, if that has not been tried from here: `showMore` tries again. */
    readAhead: () => {
      if (!hasMore || tried.current === entries.length) return
      tried.current = entries.length
      void read(entries.length + 1)
    },
    /** Reads all that was read once more, unless that takes too many requests. */
    refresh: () => {
      if (entries.length <= MOST_AGAIN) void read(entries.length, true)
    },
  }
}

/** Five pages: the requests of a visitor are limited. */
const MOST_AGAIN = 1_000
const NO_MONTHS: readonly { readonly month: string; readonly count: number }[] = []

/** The pages that were read, the first of which is given; one reading at a time. */
function usePages(first: Page | null | undefined, variables: useFolderQuery$variables) {
  const environment = useRelayEnvironment()
  const about = variables.order
  const [more, setMore] = useState<{ about: string; pages: readonly Page[] }>({ about, pages: [] })
  const [isLoading, setLoading] = useState(false)
  const turn = useRef(Promise.resolve())
  const pages = useMemo(() => (first ? [first, ...(more.about === about ? more.pages : [])] : []), [first, more, about])
  const latest = useRef<readonly Page[]>(pages)
  latest.current = pages

  const readPage = async (after: string | null, force: boolean) => {
    const asked = { ...variables, after, withMonths: variables.withMonths && after === null }
    const answer = await fetchQuery<useFolderQuery>(environment, query, asked, {
      networkCacheConfig: { force },
    }).toPromise()
    return answer?.share?.files
  }
  const readNow = async (count: number, isAgain: boolean) => {
    const found: Page[] = isAgain ? [] : [...latest.current]
    const needsNext = () => found.length === 0 || (countOf(found) < count && found.at(-1)?.pageInfo.hasNextPage)
    if (!needsNext()) return
    setLoading(true)
    try {
      while (needsNext()) {
        const page = await readPage(found.at(-1)?.pageInfo.endCursor ?? null, isAgain)
        if (!page) return
        found.push(page)
        if (!isAgain) keep(found)
      }
      keep(found)
    } catch (error) {
      console.warn('More of a folder could not be read', error)
      if (!isAgain) toast.error(messages.unlockFailed)
    } finally {
      setLoading(false)
    }
  }
  const keep = (found: readonly Page[]) => {
    latest.current = [...found]
    setMore({ about, pages: found.slice(1) })
  }
  const read = (count: number, isAgain = false) => {
    turn.current = turn.current.then(() => readNow(count, isAgain))
    return turn.current
  }
  return { pages, isLoading, read }
}

const countOf = (pages: readonly Page[]): number => pages.reduce((sum, { edges }) => sum + edges.length, 0)
