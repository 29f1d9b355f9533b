import { FolderX, TriangleAlert, Upload } from 'lucide-react'
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { Link } from 'react-router'
import { useTransfers } from '../../../features/Transfers/transfersContext.ts'
import { formatBytes } from '../../../lib/formatBytes.ts'
import { reasonOf } from '../../../relay/runMutation.ts'
import { Button, buttonClass } from '../../../ui/Button.tsx'
import dropZoneStyles from '../../../ui/DropZone.module.css'
import emptyStateStyles from '../../../ui/EmptyState.module.css'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { useFileManager } from '../FilesContext.ts'
import { VIEW_NAMES } from '../messages.ts'
import { hasFilters, viewPath } from '../urlState.ts'
import { ColumnHeader } from './ColumnHeader.tsx'
import styles from './List.module.css'
import { NewFolderRow } from './NewFolderRow.tsx'

const EmptyView = lazy(() => import('./EmptyView.tsx').then((file) => ({ default: file.EmptyView })))

/** Why the list has no rows: no results, no files yet, or a view that is empty until it is used. */
export function EmptyList({ freeBytes }: { freeBytes: number | null }) {
  const { view, url, folder, panels } = useFileManager()
  const isPlace = !hasFilters(url) && (view === 'DRIVE' || view === 'ALL')
  if (isPlace && panels.isCreating) return <NewFolderRow />
  if (isPlace && (folder || view === 'DRIVE')) return <EmptyFolder freeBytes={freeBytes} />
  return (
    <Suspense>
      <EmptyView freeBytes={freeBytes} />
    </Suspense>
  )
}

function EmptyFolder({ freeBytes }: { freeBytes: number | null }) {
  const { folder, panels } = useFileManager()
  const { openUploadDialog } = useTransfers()
  if (folder?.inPlace) return <EmptyInPlace />
  return (
    <div className={`${emptyStateStyles.empty} ${emptyStateStyles.fill}`} data-list-focus="empty" tabIndex={-1}>
      <div className={dropZoneStyles.zone}>
        <Icon icon={Upload} size={24} />
        <h2 className={emptyStateStyles.near}>{folder ? 'This folder is empty' : 'My Drive is empty'}</h2>
        <p>Drop files or folders here.{freeBytes !== null && ` ${formatBytes(freeBytes)} available.`}</p>
        <div className="hstack flex-wrap justify-center">
          <Button icon={Upload} onClick={openUploadDialog}>
            Upload Files
          </Button>
          <Button variant="ghost" onClick={() => panels.set({ isCreating: true })}>
            New folder
          </Button>
        </div>
      </div>
    </div>
  )
}

/** Files are put into a folder of an account at the provider. */
function EmptyInPlace() {
  const { folder, panels } = useFileManager()
  return (
    <div className={`${emptyStateStyles.empty} ${emptyStateStyles.fill}`} data-list-focus="empty" tabIndex={-1}>
      <h2 className={emptyStateStyles.near}>This folder is empty</h2>
      <p>It is in a connected account. What is put into it there is shown here.</p>
      {folder?.canCreate && (
        <Button variant="ghost" onClick={() => panels.set({ isCreating: true })}>
          New folder
        </Button>
      )}
    </div>
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

export function FolderGone() {
  return (
    <EmptyState
      icon={FolderX}
      title="This folder no longer exists"
      text="It may have been deleted or moved to the trash."
    >
      <Link className={buttonClass('primary')} to={viewPath('DRIVE')}>
        Go to My Drive
      </Link>
      <Link className={buttonClass('ghost')} to={viewPath('TRASH')}>
        Open Trash
      </Link>
    </EmptyState>
  )
}

const WIDTHS = ['38%', '52%', '30%', '44%', '61%', '35%', '48%', '27%', '55%', '40%']

/** Skeleton rows, shown only when loading takes longer than usual. */
export function ListSkeleton() {
  const isLate = useLate(150)
  return (
    <div className={styles.grid} aria-busy="true">
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
  const isOnline = useSyncExternalStore(onNetwork, () => navigator.onLine)
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

function onNetwork(listener: () => void): () => void {
  window.addEventListener('online', listener)
  window.addEventListener('offline', listener)
  return () => {
    window.removeEventListener('online', listener)
    window.removeEventListener('offline', listener)
  }
}
