import { fetchQuery, graphql } from 'react-relay'
import {
  createOperationDescriptor,
  type Disposable,
  type GraphQLTaggedNode,
  getRequest,
  type IEnvironment,
  type OperationType,
} from 'relay-runtime'
import type { filesPageQuery, filesPageQuery$data } from '../../../__generated__/filesPageQuery.graphql.ts'
import { type ListKey, rangesOf } from '../urlState.ts'
import type { RangeAnswer } from './listModel.ts'

/** A row: what actions need of it, and the references by which its drawing reads the rest. */
export type FileListRow = NonNullable<filesPageQuery$data['viewer']>['files']['edges'][number]['node']

const query = graphql`
  query filesPageQuery(
    $view: FileView!
    $parentId: ID
    $query: String
    $categories: [FileCategory!]
    $groupCloudId: ID
    $provider: String
    $accountId: ID
    $home: FileHome
    $tagId: ID
    $minSize: BigInt
    $maxSize: BigInt
    $modifiedAfter: DateTime
    $modifiedBefore: DateTime
    $states: [FileState!]
    $sort: FileSort
    $foldersFirst: Boolean!
    $withPath: Boolean!
    $first: Int!
    $after: String
    $until: String
  ) {
    viewer {
      files(
        view: $view
        parentId: $parentId
        query: $query
        categories: $categories
        groupCloudId: $groupCloudId
        provider: $provider
        accountId: $accountId
        home: $home
        tagId: $tagId
        minSize: $minSize
        maxSize: $maxSize
        modifiedAfter: $modifiedAfter
        modifiedBefore: $modifiedBefore
        states: $states
        sort: $sort
        foldersFirst: $foldersFirst
        first: $first
        after: $after
        until: $until
      ) {
        edges {
          node {
            id
            name
            kind
            category
            mimeType
            size
            starred
            color
            updatedAt
            childCount
            downloadUrl
            rights { read rename move delete write }
            webUrl
            nativeKind
            exportTypes
            account { id providerName rootFileId }
            path @include(if: $withPath) {
              id
              name
            }
            ...FileRow_file
            ...FileTile_file
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

export type Range = { readonly after: string | null; readonly until: string | null; readonly first: number }

export type FetchedRange = RangeAnswer<FileListRow> & {
  /** Releases the range's records in the store. */
  readonly release: Disposable
}

/** @throws Error when the server cannot be reached, refuses, or no one is signed in any more */
export async function fetchRange(environment: IEnvironment, key: ListKey, range: Range): Promise<FetchedRange> {
  return fetchPage<filesPageQuery, FileListRow>(environment, query, variablesOf(key, range))
}

type PageQuery = OperationType & {
  readonly response: {
    readonly viewer:
      | {
          readonly files: {
            readonly edges: readonly { readonly node: unknown }[]
            readonly pageInfo: { readonly endCursor?: string | null | undefined; readonly hasNextPage: boolean }
          }
        }
      | null
      | undefined
  }
}

/** A page of files by any query for them; `Row`: what its nodes are used as. @throws as fetchRange */
export async function fetchPage<Query extends PageQuery, Row extends { readonly id: string }>(
  environment: IEnvironment,
  query: GraphQLTaggedNode,
  variables: Query['variables'],
): Promise<RangeAnswer<Row> & { readonly release: Disposable }> {
  const release = environment.retain(createOperationDescriptor(getRequest(query), variables))
  try {
    const data = await fetchQuery<Query>(environment, query, variables, {
      networkCacheConfig: { force: true },
    }).toPromise()
    const files = data?.viewer?.files
    if (!files) throw new Error('You are signed out. Sign in again to see your files.')
    const rows = files.edges.map(({ node }) => node as Row)
    return { rows, endCursor: files.pageInfo.endCursor ?? null, hasNext: files.pageInfo.hasNextPage, release }
  } catch (error) {
    release.dispose()
    throw error
  }
}

/** The same text for the same list. */
export function keyText(key: ListKey): string {
  return JSON.stringify(variablesOf(key, { after: null, until: null, first: 0 }))
}

/** Whether rows show their location: in every list except that of a folder. */
export const showsLocation = ({ view, query }: ListKey): boolean => view !== 'DRIVE' || query !== ''

export function variablesOf(key: ListKey, range: Range): filesPageQuery['variables'] {
  return {
    ...selectionOf(key),
    sort: key.sort,
    foldersFirst: key.foldersFirst,
    withPath: showsLocation(key),
    ...range,
  }
}

/** Everything that the list shows, whatever its order. */
export function selectionOf(key: ListKey) {
  return {
    view: key.view,
    parentId: key.view === 'DRIVE' ? key.folder : null,
    query: key.query || null,
    categories: key.categories.length > 0 ? key.categories : null,
    groupCloudId: key.groupCloud,
    provider: key.provider,
    accountId: key.account,
    home: key.home,
    tagId: key.tag,
    ...rangesOf(key),
    states: key.atRisk ? (['AT_RISK'] as const) : null,
  }
}
