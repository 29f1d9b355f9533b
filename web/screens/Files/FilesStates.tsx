import { FolderX, TriangleAlert, Upload } from 'lucide-react'
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { Link } from 'react-router'
import { useTransfers } from '../../features/Transfers/transfersContext.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ColumnHeader } from './ColumnHeader.tsx'
import { useFileManager } from './FilesContext.ts'
import { NewFolderRow } from './NewFolderRow.tsx'
import { hasFilters, viewPath } from './urlState.ts'
import { VIEW_NAMES } from './words.ts'

const EmptyView = lazy(() => import('./EmptyView.tsx').then((file) => ({ default: file.EmptyView })))

/** Why the list has no rows: nothing found, nothing there yet, or a view that stays empty until it is used. */
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
  return (
    <div className="empty fill" tabIndex={-1}>
      <div className="drop">
        <Icon icon={Upload} size={24} />
        <h2 className="near">{folder ? 'This folder is empty' : 'My Drive is empty'}</h2>
        <p>Drop files or folders here.{freeBytes !== null && ` There is room for ${formatBytes(freeBytes)}.`}</p>
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
      title="This folder is not here any more"
      text="It may have been deleted or moved to the trash, here or on another device."
    >
      <Link className={buttonClass('primary')} to={viewPath('DRIVE')}>
        Go to My Drive
      </Link>
      <Link className={buttonClass('ghost')} to={viewPath('TRASH')}>
        Look in Trash
      </Link>
    </EmptyState>
  )
}

const WIDTHS = ['38%', '52%', '30%', '44%', '61%', '35%', '48%', '27%', '55%', '40%']

/** Rows that are on their way, in the shape of rows, after the moment in which they mostly arrive. */
export function ListSkeleton() {
  const isLate = useLate(150)
  return (
    <div className="filegrid" aria-busy="true">
      <ColumnHeader />
      {isLate &&
        WIDTHS.map((width) => (
          <div key={width} className="row cols" aria-hidden>
            <span className="cell only-d" />
            <span className="cell c-name">
              <Skeleton width={20} height={20} />
              <span className="grow">
                <Skeleton width={width} />
              </span>
            </span>
            <span className="cell d">
              <Skeleton width={96} />
            </span>
            <span className="cell d">
              <Skeleton width={64} />
            </span>
            <span className="cell d r">
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

/** Says that what is shown may be old, while the browser has no network or the last reading failed. */
export function OfflineNotice() {
  const { list } = useFileManager()
  const isOnline = useSyncExternalStore(onNetwork, () => navigator.onLine)
  useEffect(() => {
    if (isOnline && list.failure) list.retry()
  }, [isOnline, list])
  if (isOnline) return null
  return (
    <div className="listnotice" role="status">
      <Notice tone="warning">
        <b>You are offline.</b> What you see may be out of date; changes are possible again once you are connected.
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
