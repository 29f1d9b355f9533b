import { FolderOpen, FolderX } from 'lucide-react'
import { Link } from 'react-router'
import { sharedMessages } from '../../lib/messages.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { messages } from './messages.ts'
import styles from './Share.module.css'

const WIDTHS = ['38%', '52%', '30%', '44%', '58%', '35%']

export function FolderSkeleton() {
  return (
    <div className={styles.folder} role="status" aria-label={sharedMessages.common.loading}>
      {WIDTHS.map((width) => (
        <div key={width} className={styles.row} aria-hidden>
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

export const EmptyFolder = () => (
  <EmptyState icon={FolderOpen} title={messages.emptyFolder} text={messages.emptyFolderText} />
)

export function FolderGone() {
  return (
    <EmptyState icon={FolderX} title={messages.folderGone} text={messages.folderGoneText}>
      <Link className={buttonClass('primary')} to="?">
        {messages.toSharedFolder}
      </Link>
    </EmptyState>
  )
}
