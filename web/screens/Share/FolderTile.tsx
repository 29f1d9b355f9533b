import { Download } from 'lucide-react'
import { Link } from 'react-router'
import { Duration } from '../../ui/Duration.tsx'
import { FileIcon } from '../../ui/FileIcon.tsx'
import { FileName } from '../../ui/FileName.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { NoPreview } from '../../ui/NoPreview.tsx'
import { isPaper, Thumbnail } from '../../ui/Thumbnail.tsx'
import { thumbnailUrl } from './addresses.ts'
import { type EntryProps, EntrySize, entryLink } from './FolderRow.tsx'
import { messages } from './messages.ts'
import styles from './Share.module.css'

/** As FolderRow, with a picture where there is one. */
export function FolderTile({ shareId, entry, folderId, isUsedUp, onDownload }: EntryProps) {
  const { name, category, durationMs, mediumPath } = entry
  return (
    <li className={styles.shareTile}>
      <div className={styles.thumb}>
        <FileIcon category={category} size={40} />
        <Thumbnail url={thumbnailUrl(shareId, mediumPath)} isPaper={isPaper(category)} />
        {category !== 'FOLDER' && <NoPreview name={name} />}
        <Duration ms={durationMs} />
      </div>
      <div className={styles.caption}>
        <div className="grow min-w-0">
          <Link className={styles.open} to={entryLink(entry, folderId)}>
            <FileName name={name} />
          </Link>
          <EntrySize entry={entry} />
        </div>
        <IconButton
          size="sm"
          label={messages.downloadOne(name)}
          icon={Download}
          disabled={isUsedUp}
          onClick={onDownload}
        />
      </div>
    </li>
  )
}
