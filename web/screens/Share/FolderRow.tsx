import { Download } from 'lucide-react'
import { Link } from 'react-router'
import { formatBytes, formatExactBytes } from '../../lib/formatBytes.ts'
import { FileIcon } from '../../ui/FileIcon.tsx'
import { FileName } from '../../ui/FileName.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { messages } from './messages.ts'
import styles from './Share.module.css'
import type { SharedEntry } from './useFolder.ts'

type Props = {
  readonly entry: SharedEntry
  readonly folderId: string | null
  readonly isUsedUp: boolean
  readonly onDownload: () => void
}

/** The whole line opens the folder or shows the file; the button at its end downloads it. */
export function FolderRow({ entry, folderId, isUsedUp, onDownload }: Props) {
  const { id, name, kind, category, size, childCount } = entry
  const isFolder = kind === 'FOLDER'
  const to = isFolder ? folderParams(id, null) : folderParams(folderId, id)
  return (
    <li className={styles.row}>
      <FileIcon category={category} />
      <Link className={`${styles.open} grow`} to={`?${to}`}>
        <FileName name={name} />
      </Link>
      <span className="meta subtle num" title={isFolder ? undefined : formatExactBytes(size)}>
        {isFolder ? messages.items(childCount ?? 0) : formatBytes(size)}
      </span>
      <IconButton
        size="sm"
        label={messages.downloadOne(name)}
        icon={Download}
        disabled={isUsedUp}
        onClick={onDownload}
      />
    </li>
  )
}

/** What the address says of a shared folder: which one is open, and which of its files is looked at. */
export function folderParams(folderId: string | null, fileId: string | null): URLSearchParams {
  return new URLSearchParams({ ...(folderId && { folder: folderId }), ...(fileId && { file: fileId }) })
}
