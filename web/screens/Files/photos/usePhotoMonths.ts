import { useEffect, useState } from 'react'
import { fetchQuery, graphql, useRelayEnvironment } from 'react-relay'
import type { usePhotoMonthsQuery } from '../../../__generated__/usePhotoMonthsQuery.graphql.ts'
import { type Month, withFirst } from '../../../features/Photos/photo.ts'
import type { FileListStore } from '../list/fileListStore.ts'
import { selectionOf } from '../list/filesPage.ts'

/** The months of a list of photos, newest first; empty until they were read. Read again when the list is. */
export function usePhotoMonths(list: FileListStore): readonly Month[] {
  const environment = useRelayEnvironment()
  const [months, setMonths] = useState<readonly Month[]>([])
  const { key, readAt } = list
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time of reading stands for what may have changed
  useEffect(() => {
    const request = fetchQuery<usePhotoMonthsQuery>(
      environment,
      graphql`
        query usePhotoMonthsQuery($selection: FileSelection!) {
          viewer {
            filesSummary(selection: $selection) {
              photoMonths {
                month
                count
              }
            }
          }
        }
      `,
      { selection: selectionOf(key) },
      { networkCacheConfig: { force: true } },
    ).subscribe({
      next: (data) => setMonths(withFirst(data.viewer?.filesSummary.photoMonths ?? [])),
      // Without its scale the view can still be scrolled.
      error: (error: Error) => console.warn('The months of the photos could not be read', error),
    })
    return () => request.unsubscribe()
  }, [environment, key, readAt])
  return months
}
