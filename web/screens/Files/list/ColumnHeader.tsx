import { ArrowDown, ArrowUp } from 'lucide-react'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { useFileManager } from '../FilesContext.ts'
import { allState, clear } from '../selection/selection.ts'
import { nextSort, type SortField } from '../urlState.ts'
import styles from './List.module.css'

/** The line above the list: select all, and the columns that sort. */
export function ColumnHeader() {
  const { list, selection, setSelection, selectAll } = useFileManager()
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
      <span role="columnheader">Stored in</span>
      <SortColumn field="MODIFIED" text="Modified" />
      <SortColumn field="SIZE" text="Size" isRight />
      <span role="columnheader">
        <span className="sr-only">Actions</span>
      </span>
    </div>
  )
}

const ARIA_SORT = { ASC: 'ascending', DESC: 'descending' } as const

function SortColumn({ field, text, isRight = false }: { field: SortField; text: string; isRight?: boolean }) {
  const { sort, setUrl } = useFileManager()
  const isOn = sort.field === field
  return (
    <span
      role="columnheader"
      className={isRight ? styles.right : undefined}
      aria-sort={isOn ? ARIA_SORT[sort.direction] : 'none'}
    >
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
