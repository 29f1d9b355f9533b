import { Suspense, useCallback, useMemo } from 'react'
import { ActivityPages } from '../Activity/ActivityPages.tsx'
import { ActivitySkeleton } from '../Activity/ActivitySkeleton.tsx'
import styles from './Details.module.css'
import { ACTIVITY, NO_ACTIVITY } from './messages.ts'
import { onFileChange } from './onFileChange.ts'

/** The server writes its log once a second: an earlier request may miss the last entry. */
const WRITTEN_MS = 1_200

/** The activity of a file or folder, newest first; updated live. */
export function FileActivity({ id }: { id: string }) {
  const filter = useMemo(() => ({ fileId: id }), [id])
  const listen = useCallback((onNews: () => void) => onFileChange(id, { everyMs: WRITTEN_MS }, onNews), [id])
  return (
    <section className={styles.section} aria-label={ACTIVITY}>
      <Suspense fallback={<ActivitySkeleton />}>
        <ActivityPages filter={filter} empty={NO_ACTIVITY} listen={listen} />
      </Suspense>
    </section>
  )
}
