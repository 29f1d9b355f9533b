import { memo } from 'react'
import { formatDay } from '../../lib/formatDate.ts'
import { useShownName } from '../../lib/listChoices.ts'
import { nameText } from '../../lib/nameText.ts'
import { FileIcon } from '../../ui/FileIcon.tsx'
import { sizeWords } from './FileRow.tsx'
import type { FileListRow } from './filesPage.ts'

type Props = { row: FileListRow; index: number; top: number; location: string | null }

/** A row that rushes by, or whose records left the store: what the list itself remembers of it, in as few elements as can be. */
export const PlainRow = memo(function PlainRow({ row, index, top, location }: Props) {
  const shown = useShownName(row)
  return (
    <div
      role="row"
      data-id={row.id}
      tabIndex={-1}
      aria-rowindex={index + 2}
      className={location === null ? 'row cols at plain' : 'row cols at plain tall'}
      style={{ transform: `translateY(${top}px)` }}
    >
      <span className="cell c-name" role="gridcell">
        <FileIcon category={row.category} />
        <span className="grow">
          <span className="name">
            <bdi className="name-head">{nameText(shown)}</bdi>
          </span>
          {location !== null && <span className="sub ell">{location}</span>}
        </span>
      </span>
      <span className="cell d num" role="gridcell">
        {formatDay(row.updatedAt)}
      </span>
      <span className="cell d r num" role="gridcell">
        {sizeWords(row)}
      </span>
    </div>
  )
})
