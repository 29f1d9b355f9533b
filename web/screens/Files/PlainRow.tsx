import { formatDay } from '../../lib/formatDate.ts'
import { FileIcon } from '../../ui/FileIcon.tsx'
import { FileName } from '../../ui/FileName.tsx'
import { sizeWords } from './FileRow.tsx'
import type { FileListRow } from './filesPage.ts'

/** A row whose records left the store: what the list itself remembers of it, until they are back. */
export function PlainRow({ row, index, top }: { row: FileListRow; index: number; top: number }) {
  return (
    <div
      role="row"
      data-id={row.id}
      tabIndex={-1}
      aria-rowindex={index + 2}
      className="row cols at"
      style={{ transform: `translateY(${top}px)` }}
    >
      <span className="cell only-d c-check" role="gridcell" />
      <span className="cell c-name" role="gridcell">
        <FileIcon category={row.category} />
        <span className="grow">
          <FileName name={row.name} />
        </span>
      </span>
      <span className="cell d" role="gridcell" />
      <span className="cell d num" role="gridcell">
        {formatDay(row.updatedAt)}
      </span>
      <span className="cell d r num" role="gridcell">
        {sizeWords(row)}
      </span>
      <span className="cell" role="gridcell" />
    </div>
  )
}
