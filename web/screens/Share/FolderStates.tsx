import { FolderOpen, FolderX } from 'lucide-react'
import { Link } from 'react-router'
import { messages } from '../../lib/messages.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { words } from './words.ts'

const WIDTHS = ['38%', '52%', '30%', '44%', '58%', '35%']

export function FolderSkeleton() {
  return (
    <div className="share-folder" role="status" aria-label={messages.common.loading}>
      {WIDTHS.map((width) => (
        <div key={width} className="share-row" aria-hidden>
          <Skeleton width={20} height={20} />
          <span className="grow">
            <Skeleton width={width} />
          </span>
          <Skeleton width={64} height={8} />
        </div>
      ))}
    </div>
  )
}

export const EmptyFolder = () => <EmptyState icon={FolderOpen} title={words.emptyFolder} text={words.emptyFolderText} />

export function FolderGone() {
  return (
    <EmptyState icon={FolderX} title={words.folderGone} text={words.folderGoneText}>
      <Link className={buttonClass('primary')} to="?">
        {words.toSharedFolder}
      </Link>
    </EmptyState>
  )
}
