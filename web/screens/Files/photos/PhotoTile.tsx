import { memo } from 'react'
import { PhotoPicture } from '../../../features/Photos/PhotoPicture.tsx'
import styles from '../../../features/Photos/Photos.module.css'
import { cx } from '../../../lib/cx.ts'
import { nameText } from '../../../lib/nameText.ts'
import checkboxStyles from '../../../ui/Checkbox.module.css'
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
  const { id, name } = row
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
      <PhotoPicture photo={row} onNewFacts={look.onNewFacts} />
      {href && (
        <a className={styles.link} href={href} tabIndex={-1} draggable={false}>
          <span className="sr-only">{nameText(name)}</span>
        </a>
      )}
    </div>
  )
})
