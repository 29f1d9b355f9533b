import { ArrowDown, ArrowUp, EllipsisVertical } from 'lucide-react'
import type { PointerEvent } from 'react'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { useFileManager } from '../FilesContext.ts'
import { allState, clear } from '../selection/selection.ts'
import { nextSort, type SortField } from '../urlState.ts'
import styles from './List.module.css'

/** The line above the list: select all, and the columns, which sort and have edges to drag. */
export function ColumnHeader() {
  const { list, selection, setSelection, selectAll, panels } = useFileManager()
  const state = allState(selection, list.model)
  return (
    <div className={`${styles.columnHead} ${styles.cols}`} role="row" aria-rowindex={1}>
      <span role="columnheader" className={styles.cCheck}>
        <Checkbox
          label="Select all"
          checked={state === 'some' ? 'mixed' : state === 'all'}
          onChange={() => (state === 'all' ? setSelection(clear) : selectAll())}
        />
      </span>
      <SortColumn field="NAME" text="Name" />
      <span role="columnheader" data-column>
        <Edge index={0} />
        Stored in
      </span>
      <SortColumn field="MODIFIED" text="Modified" index={1} />
      <SortColumn field="SIZE" text="Size" index={2} />
      <span role="columnheader">
        <IconButton
          label="Columns"
          icon={EllipsisVertical}
          iconSize={14}
          size="sm"
          onClick={() => panels.set({ dialog: { kind: 'columns' } })}
        />
      </span>
    </div>
  )
}

const ARIA_SORT = { ASC: 'ascending', DESC: 'descending' } as const

/** At the start of a column; for the keyboard there is the dialog. Its code is loaded when it is pressed. */
function Edge({ index }: { index: number }) {
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    const { currentTarget: edge, pointerId, clientX } = event
    event.preventDefault()
    edge.setPointerCapture(pointerId)
    void import('./columnWidths.ts').then((module) => module.dragEdge(edge, index, { pointerId, clientX }))
  }
  return <i className={styles.edge} aria-hidden onPointerDown={onPointerDown} />
}

/** `index`: of the column, if it has a width. */
function SortColumn({ field, text, index }: { field: SortField; text: string; index?: number }) {
  const { sort, setUrl } = useFileManager()
  const isOn = sort.field === field
  return (
    <span
      role="columnheader"
      className={index === 2 ? styles.right : undefined}
      data-column={index}
      aria-sort={isOn ? ARIA_SORT[sort.direction] : 'none'}
    >
      {index !== undefined && <Edge index={index} />}
      <button
        type="button"
        className={isOn ? styles.on : undefined}
        onClick={() => setUrl({ sort: nextSort(sort, field) }, { replace: true })}
      >
        {text}
        {isOn && <Icon icon={sort.direction === 'ASC' ? ArrowUp : ArrowDown} size={12} />}
      </button>
    </span>
  )
}
