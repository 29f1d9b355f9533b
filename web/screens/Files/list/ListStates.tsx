import { TriangleAlert } from 'lucide-react'
import { Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { late } from '../../../lib/lateCode.ts'
import { reasonOf } from '../../../relay/runMutation.ts'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { useFileManager } from '../FilesContext.ts'
import { VIEW_NAMES } from '../messages.ts'
import { hasFilters } from '../urlState.ts'
import { ColumnHeader } from './ColumnHeader.tsx'
import styles from './List.module.css'
import { NewFolderRow } from './NewFolderRow.tsx'

const EmptyView = late(() => import('./EmptyView.tsx').then((file) => file.EmptyView))

/** Why the list has no rows: no results, no files yet, or a view that is empty until it is used. */
export function EmptyList({ freeBytes }: { freeBytes: number | null }) {
  const { view, url, panels } = useFileManager()
  const isPlace = !hasFilters(url) && (view === 'DRIVE' || view === 'ALL')
  if (isPlace && panels.isCreating) return <NewFolderRow />
  return (
    <Suspense>
      <EmptyView freeBytes={freeBytes} />
    </Suspense>
  )
}

/** The list could not be read at all. */
export function ListFailed() {
  const { list, folder, view } = useFileManager()
  const place = folder ? 'This folder' : VIEW_NAMES[view]
  return (
    <EmptyState
      danger
      icon={TriangleAlert}
      title={`${place} could not be loaded`}
      text={`${list.failure ? reasonOf(list.failure) : ''} Your files are safe and nothing was changed.`}
    >
      <Button variant="primary" onClick={() => list.retry()}>
        Try again
      </Button>
    </EmptyState>
  )
}

const WIDTHS = ['38%', '52%', '30%', '44%', '61%', '35%', '48%', '27%', '55%', '40%']

/** Skeleton rows, shown only when loading takes longer than usual. */
export function ListSkeleton() {
  const isLate = useLate(150)
  return (
    <div className={styles.grid} role="grid" aria-label="Files" aria-busy="true">
      <ColumnHeader />
      {isLate &&
        WIDTHS.map((width) => (
          <div key={width} className={`${styles.row} ${styles.cols}`} aria-hidden>
            <span className={`${styles.cell} only-d`} />
            <span className={`${styles.cell} ${styles.cName}`}>
              <Skeleton width={20} height={20} />
              <span className="grow">
                <Skeleton width={width} />
              </span>
            </span>
            <span className={`${styles.cell} ${styles.desktopOnly}`}>
              <Skeleton width={96} />
            </span>
            <span className={`${styles.cell} ${styles.desktopOnly}`}>
              <Skeleton width={64} />
            </span>
            <span className={`${styles.cell} ${styles.desktopOnly} ${styles.right}`}>
              <Skeleton width={56} />
            </span>
            <span />
          </div>
        ))}
    </div>
  )
}

function useLate(milliseconds: number): boolean {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), milliseconds)
    return () => clearTimeout(timer)
  }, [milliseconds])
  return isLate
}

/** Warns that the list may be out of date while the browser is offline. */
export function OfflineNotice() {
  const { list } = useFileManager()
  const isOnline = useIsOnline()
  useEffect(() => {
    if (isOnline && list.failure) list.retry()
  }, [isOnline, list])
  if (isOnline) return null
  return (
    <div className={styles.notice} role="status">
      <Notice tone="warning">
        <b>You are offline.</b> The list may be out of date. Changes are possible again when you are back online.
      </Notice>
    </div>
  )
}

/** Whether the browser has a connection; follows changes. */
export function useIsOnline(): boolean {
  return useSyncExternalStore(onNetwork, () => navigator.onLine)
}

function onNetwork(listener: () => void): () => void {
  window.addEventListener('online', listener)
  window.addEventListener('offline', listener)
  return () => {
    window.removeEventListener('online', listener)
    window.removeEventListener('offline', listener)
  }
}
