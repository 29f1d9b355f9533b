import { useCallback, useEffect, useState } from 'react'
import { fetchQuery, graphql, useRelayEnvironment } from 'react-relay'
import type {
  ContentView,
  useMatchesQuery,
  useMatchesQuery$data,
} from '../../../__generated__/useMatchesQuery.graphql.ts'
import { type ListKey, rangesOf } from '../urlState.ts'

const query = graphql`
  query useMatchesQuery(
    $query: String!
    $view: ContentView!
    $categories: [FileCategory!]
    $groupCloudId: ID
    $provider: String
    $accountId: ID
    $tagId: ID
    $home: FileHome
    $minSize: BigInt
    $maxSize: BigInt
    $modifiedAfter: DateTime
    $modifiedBefore: DateTime
    $states: [FileState!]
    $first: Int!
    $after: String
  ) {
    viewer {
      contentMatches(
        query: $query
        view: $view
        categories: $categories
        groupCloudId: $groupCloudId
        provider: $provider
        accountId: $accountId
        tagId: $tagId
        home: $home
        minSize: $minSize
        maxSize: $maxSize
        modifiedAfter: $modifiedAfter
        modifiedBefore: $modifiedBefore
        states: $states
        first: $first
        after: $after
      ) {
        isReading
        pageInfo { endCursor hasNextPage }
        edges {
          node {
            excerpt { text isMatch }
            file { id name kind category size updatedAt thumbnailUrl path { name } }
          }
        }
      }
    }
  }
`

type Connection = NonNullable<useMatchesQuery$data['viewer']>['contentMatches']
export type Match = Connection['edges'][number]['node']

export type Matches = {
  readonly items: readonly Match[]
  readonly endCursor: string | null
  readonly hasNext: boolean
  readonly isReading: boolean
  readonly isLoading: boolean
  readonly failure: Error | null
}

const NONE: Matches = {
  items: [],
  endCursor: null,
  hasNext: false,
  isReading: false,
  isLoading: true,
  failure: null,
}
const PAGE = 50

/** The files of this list whose text contains the words, page by page. */
export function useMatches(key: ListKey): Matches & { readonly readMore: () => void } {
  const environment = useRelayEnvironment()
  const [matches, setMatches] = useState(NONE)
  // As text: another preview is another address, but the same search.
  const asked = JSON.stringify(variablesOf(key))
  const read = useCallback(
    (after: string | null) => {
      setMatches((now) => ({ ...(after === null ? NONE : now), isLoading: true, failure: null }))
      const variables = { ...(JSON.parse(asked) as ReturnType<typeof variablesOf>), first: PAGE, after }
      return fetchQuery<useMatchesQuery>(environment, query, variables).subscribe({
        next: ({ viewer }) => viewer && setMatches((now) => append(after === null ? NONE : now, viewer.contentMatches)),
        error: (failure: Error) => setMatches((now) => ({ ...now, isLoading: false, failure })),
      })
    },
    [environment, asked],
  )
  useEffect(() => {
    const reading = read(null)
    return () => reading.unsubscribe()
  }, [read])
  return { ...matches, readMore: () => void read(matches.endCursor) }
}

function append(before: Matches, { edges, pageInfo, isReading }: Connection): Matches {
  return {
    items: [...before.items, ...edges.map(({ node }) => node)],
    endCursor: pageInfo.endCursor ?? null,
    hasNext: pageInfo.hasNextPage,
    isReading,
    isLoading: false,
    failure: null,
  }
}

function variablesOf({
  view,
  query,
  categories,
  groupCloud,
  provider,
  account,
  tag,
  home,
  changed,
  size,
  atRisk,
}: ListKey) {
  return {
    query,
    view: view as ContentView,
    categories: categories.length > 0 ? categories : null,
    groupCloudId: groupCloud,
    provider,
    accountId: account,
    tagId: tag,
    home,
    states: atRisk ? (['AT_RISK'] as const) : null,
    ...rangesOf({ changed, size }),
  }
}
