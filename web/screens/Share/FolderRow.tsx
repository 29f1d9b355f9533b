import { Download } from 'lucide-react'
import { Link } from 'react-router'
import { formatBytes, formatExactBytes } from '../../lib/formatBytes.ts'
import { FileIcon } from '../../ui/FileIcon.tsx'
import { FileName } from '../../ui/FileName.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { thumbnailUrl } from './addresses.ts'
import { messages } from './messages.ts'
import styles from './Share.module.css'
import type { SharedEntry } from './useFolder.ts'

export type EntryProps = {
  readonly shareId: string
  readonly entry: SharedEntry
  readonly folderId: string | null
  readonly isUsedUp: boolean
  readonly onDownload: () => void
}

/** The whole line opens the folder or shows the file; the button at its end downloads it. */
export function FolderRow({ shareId, entry, folderId, isUsedUp, onDownload }: EntryProps) {
  const { name, category, thumbnailPath } = entry
  return (
    <li className={styles.row}>
      <FileIcon category={category} thumbnailUrl={thumbnailUrl(shareId, thumbnailPath)} />
      <Link className={`${styles.open} grow`} to={entryLink(entry, folderId)}>
        <FileName name={name} />
      </Link>
      <EntrySize entry={entry} />
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

/** Opens the folder, or shows the file. */
export function entryLink({ id, kind }: SharedEntry, folderId: string | null): string {
  return `?${kind === 'FOLDER' ? folderParams(id, null) : folderParams(folderId, id)}`
}

export function EntrySize({ entry: { kind, size, childCount } }: { entry: SharedEntry }) {
  const isFolder = kind === 'FOLDER'
  return (
    <span className="meta subtle num" title={isFolder ? undefined : formatExactBytes(size)}>
      {isFolder ? (childCount == null ? messages.counting : messages.items(childCount)) : formatBytes(size)}
    </span>
  )
}

/** What the address says of a shared folder: which one is open, and which of its files is looked at. */
export function folderParams(folderId: string | null, fileId: string | null): URLSearchParams {
  return new URLSearchParams({ ...(folderId && { folder: folderId }), ...(fileId && { file: fileId }) })
}
