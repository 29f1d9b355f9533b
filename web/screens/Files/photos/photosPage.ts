import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { photosPageQuery } from '../../../__generated__/photosPageQuery.graphql.ts'
import type { Photo } from '../../../features/Photos/photo.ts'
import { type FetchedRange, type FileListRow, fetchPage, type Range, variablesOf } from '../list/filesPage.ts'
import type { ListKey } from '../urlState.ts'

/** What the photos view draws of a row, in addition to what actions need. */
export type PhotoRow = FileListRow & Photo

const query = graphql`
  query photosPageQuery(
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
            picture { width height takenAt }
            durationMs
            mediumUrl: thumbnailUrl(size: MEDIUM)
            largeUrl: thumbnailUrl(size: LARGE)
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

/** As fetchRange, for a list of photos. */
export async function fetchPhotos(environment: IEnvironment, key: ListKey, range: Range): Promise<FetchedRange> {
  const { foldersFirst: _, ...variables } = variablesOf(key, range)
  // They are drawn by the photos view alone, which needs none of the fragments of rows and tiles.
  return fetchPage<photosPageQuery, FileListRow>(environment, query, variables)
}
