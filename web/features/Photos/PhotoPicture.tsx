import type { SyntheticEvent } from 'react'
import { nameText } from '../../lib/nameText.ts'
import { Duration } from '../../ui/Duration.tsx'
import { FileIcon } from '../../ui/FileIcon.tsx'
import styles from './Photos.module.css'
import type { Photo } from './photo.ts'

type Props = {
  readonly photo: Photo
  /** Called when the picture of an image has arrived whose size and date were unknown until then. */
  readonly onNewFacts: () => void
}

/** The picture of a photo, over its name until it has arrived; videos with their length. */
export function PhotoPicture({ photo, onNewFacts }: Props) {
  const { name, category, durationMs, mediumUrl, largeUrl, picture } = photo
  const onLoad = ({ currentTarget }: SyntheticEvent<HTMLElement>) => {
    currentTarget.dataset.shown = ''
    if (!picture && category === 'IMAGE') onNewFacts()
  }
  return (
    <>
      <span className={styles.blank}>
        <FileIcon category={category ?? 'IMAGE'} size={40} />
        <span className="ell" title={nameText(name)}>
          {nameText(name)}
        </span>
      </span>
      {mediumUrl && (
        <img
          key={mediumUrl}
          className={styles.picture}
          src={mediumUrl}
          srcSet={largeUrl ? `${mediumUrl}, ${largeUrl} 2x` : undefined}
          alt=""
          decoding="async"
          draggable={false}
          onLoad={onLoad}
        />
      )}
      <Duration ms={durationMs} />
    </>
  )
}
