import { memo, type SyntheticEvent } from 'react'
import { cx } from '../../../lib/cx.ts'
import { nameText } from '../../../lib/nameText.ts'
import checkboxStyles from '../../../ui/Checkbox.module.css'
import { Duration } from '../../../ui/Duration.tsx'
import { FileIcon } from '../../../ui/FileIcon.tsx'
import styles from './Photos.module.css'
import type { PhotoRow } from './photosPage.ts'

type Props = {
  readonly row: PhotoRow
  readonly column: number
  readonly left: number
  readonly width: number
  readonly height: number
  readonly href: string | null
  readonly isSelected: boolean
  readonly isFocused: boolean
  readonly isCut: boolean
  /** Called when the picture of a row has arrived whose size and date were unknown until then. */
  readonly onNewFacts: () => void
}

/** One photo. Its events are handled by the list as a whole, which finds it by `data-id`. */
export const PhotoTile = memo(function PhotoTile({ row, column, left, width, height, href, ...look }: Props) {
  const { id, name, category, durationMs, mediumUrl, largeUrl, picture } = row
  const onLoad = ({ currentTarget }: SyntheticEvent<HTMLElement>) => {
    currentTarget.dataset.shown = ''
    if (!picture && category === 'IMAGE') look.onNewFacts()
  }
  return (
    <div
      role="gridcell"
      data-id={id}
      data-drop-name={name}
      draggable
      tabIndex={look.isFocused ? 0 : -1}
      aria-colindex={column + 1}
      aria-selected={look.isSelected}
      className={cx(styles.photo, look.isSelected && styles.isSelected, look.isCut && styles.isCut)}
      style={{ insetInlineStart: left, width, height }}
    >
      <input
        type="checkbox"
        className={checkboxStyles.check}
        tabIndex={-1}
        readOnly
        checked={look.isSelected}
        aria-label={`Select ${nameText(name)}`}
      />
      <span className={styles.blank}>
        <FileIcon category={category} size={40} />
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
      {href && (
        <a className={styles.link} href={href} tabIndex={-1} draggable={false}>
          <span className="sr-only">{nameText(name)}</span>
        </a>
      )}
    </div>
  )
})
