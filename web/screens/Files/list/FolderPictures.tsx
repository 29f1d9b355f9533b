import { useEffect, useState } from 'react'
import { useRelayEnvironment } from 'react-relay'
import { FileIcon } from '../../../ui/FileIcon.tsx'
import { isPaper, Thumbnail } from '../../../ui/Thumbnail.tsx'
import styles from './FolderPictures.module.css'
import { type FolderPicture, folderPictures } from './folderPictures.ts'

const PLACES = 4

type Props = {
  readonly id: string
  readonly color?: string | null | undefined
  /** Null: not known yet. */
  readonly childCount: number | null
  readonly readAt: number
}

/** What is in a folder: its newest pictures, and how many more entries there are. `readAt`: when its list was read. */
export function FolderPictures({ id, color, childCount, readAt }: Props) {
  const environment = useRelayEnvironment()
  const [pictures, setPictures] = useState<readonly FolderPicture[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the list is read again, the folder may hold something else
  useEffect(() => {
    if (childCount === 0) return setPictures([])
    let isHere = true
    folderPictures(environment, id).then(
      (found) => isHere && setPictures(found),
      // Without pictures the tile has its icon.
      (error: Error) => console.warn('The pictures of a folder could not be read', error),
    )
    return () => {
      isHere = false
    }
  }, [environment, id, childCount, readAt])
  const more = (childCount ?? 0) - pictures.length
  if (pictures.length === 0) {
    return (
      <span className={styles.bare}>
        <FileIcon category="FOLDER" size={40} color={color} />
        {childCount === 0 && <span className="meta subtle">Empty</span>}
      </span>
    )
  }
  return (
    <span className={styles.four} data-testid="folder-pictures">
      {pictures.map(({ url, category }) => (
        <span key={url} className={styles.place}>
          <Thumbnail url={url} isPaper={isPaper(category)} />
        </span>
      ))}
      {pictures.length < PLACES && more > 0 && (
        <span className={`${styles.place} ${styles.more} subtle num`}>+{more.toLocaleString()}</span>
      )}
    </span>
  )
}
