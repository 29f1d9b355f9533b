import { Suspense, useCallback, useMemo } from 'react'
import { ActivityPages } from '../Activity/ActivityPages.tsx'
import { ActivitySkeleton } from '../Activity/ActivitySkeleton.tsx'
import { onFileChange } from './onFileChange.ts'
import { ACTIVITY, NO_ACTIVITY } from './words.ts'

/** The server writes its log once a second: what is asked for sooner may not be there yet. */
const WRITTEN_MS = 1_200

/** What was done to a file or folder and by whom, newest first; true while more is done. */
export function FileActivity({ id }: { id: string }) {
  const filter = useMemo(() => ({ fileId: id }), [id])
  const listen = useCallback((onNews: () => void) => onFileChange(id, WRITTEN_MS, onNews), [id])
  return (
    <section className="d-sec" aria-label={ACTIVITY}>
      <Suspense fallback={<ActivitySkeleton />}>
        <ActivityPages filter={filter} empty={NO_ACTIVITY} listen={listen} />
      </Suspense>
    </section>
  )
}
