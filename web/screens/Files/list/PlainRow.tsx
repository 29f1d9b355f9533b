import { memo } from 'react'
import { cx } from '../../../lib/cx.ts'
import { formatDay } from '../../../lib/formatDate.ts'
import { useShownName } from '../../../lib/listChoices.ts'
import { nameText } from '../../../lib/nameText.ts'
import { FileIcon } from '../../../ui/FileIcon.tsx'
import type { FileListRow } from './filesPage.ts'
import styles from './List.module.css'
import { Size } from './RowCells.tsx'

type Props = { row: FileListRow; index: number; top: number; location: string | null }

/**
 * A row during fast scrolling, or without records in the store: shows what the list model has, in as few elements as
 * possible.
 */
export const PlainRow = memo(function PlainRow({ row, index, top, location }: Props) {
  const shown = useShownName(row)
  return (
    <div
      role="row"
      data-id={row.id}
      tabIndex={-1}
      aria-rowindex={index + 2}
      className={cx(`${styles.row} ${styles.cols} ${styles.at} ${styles.plain}`, location !== null && styles.tall)}
      style={{ transform: `translateY(${top}px)` }}
    >
      <span className={`${styles.cell} ${styles.cName}`} role="gridcell">
        <FileIcon category={row.category} color={row.color} />
        <span className="grow">
          <span className="name">
            <bdi className="name-head">{nameText(shown)}</bdi>
          </span>
          {location !== null && <span className={`${styles.sub} ell`}>{location}</span>}
        </span>
      </span>
      <span className={`${styles.cell} ${styles.desktopOnly} num`} role="gridcell">
        {formatDay(row.updatedAt)}
      </span>
      <span className={`${styles.cell} ${styles.desktopOnly} ${styles.right} num`} role="gridcell">
        <Size file={row} />
      </span>
    </div>
  )
})
