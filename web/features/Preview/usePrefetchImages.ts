import { useEffect } from 'react'
import { fetchQuery, graphql, useRelayEnvironment } from 'react-relay'
import type { usePrefetchImagesQuery } from '../../__generated__/usePrefetchImagesQuery.graphql.ts'
import { previewKind } from './previewKind.ts'

/** Larger neighbours are not prefetched: they may never be opened. */
const MOST_BYTES = 20 * 1024 * 1024

/**
 * Prefetches the next and previous file and, for pictures, their bytes, so that the next key press shows them
 * immediately.
 */
export function usePrefetchImages(ids: readonly (string | null)[]): void {
  const environment = useRelayEnvironment()
  const key = ids.filter(Boolean).join(' ')
  useEffect(() => {
    if (!key) return
    const { unsubscribe } = fetchQuery<usePrefetchImagesQuery>(
      environment,
      graphql`
        query usePrefetchImagesQuery($ids: [ID!]!) {
          nodes(ids: $ids) {
            ... on File { kind name category mimeType size inlineUrl downloadUrl }
          }
        }
      `,
      { ids: key.split(' ') },
      { fetchPolicy: 'store-or-network' },
    ).subscribe({
      next: ({ nodes }) => nodes.forEach(prefetch),
      error: (error: unknown) => console.warn('The neighbouring files could not be prefetched', error),
    })
    return unsubscribe
  }, [environment, key])
}

type Neighbour = usePrefetchImagesQuery['response']['nodes'][number]

function prefetch(file: Neighbour): void {
  if (!file?.name || !file.inlineUrl || (file.size ?? 0) > MOST_BYTES) return
  const { kind = '', name, category = '', mimeType, inlineUrl } = file
  if (previewKind({ kind, name, category, mimeType, inlineUrl }) === 'image') new Image().src = inlineUrl
}
