import { useId } from 'react'
import { useStoredText } from '../../../lib/storedChoice.ts'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { STORED_COLUMNS } from '../list/columns.ts'
import { COLUMNS, NARROWEST, readWidths, saveWidths, WIDEST } from '../list/columnWidths.ts'
import styles from './ColumnsDialog.module.css'

const NAMES: Readonly<Record<(typeof COLUMNS)[number], string>> = {
  stored: 'Stored in',
  modified: 'Modified',
  size: 'Size',
}

/** Pixels per press of an arrow key. */
const STEP = 8

/** Which columns lists have, and how wide they are: kept in this browser, shown at once. Import it lazily. */
export function ColumnsDialog({ onClose }: { onClose: () => void }) {
  const text = useStoredText(STORED_COLUMNS)
  const widths = readWidths(text)
  const set = (index: number, width: number) =>
    saveWidths(widths.map((now, column) => (column === index ? width : now)))
  return (
    <Dialog
      open
      onClose={onClose}
      size="sm"
      title="Columns"
      description="The name is always shown. Widths can also be changed by dragging the edges of the column headings."
      footer={
        <>
          <Button className="push" disabled={!text} onClick={() => saveWidths(null)}>
            Reset
          </Button>
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <div className={styles.columns}>
        {COLUMNS.map((column, index) => (
          <Column key={column} name={NAMES[column]} width={widths[index] ?? NARROWEST} set={(to) => set(index, to)} />
        ))}
      </div>
    </Dialog>
  )
}

type ColumnProps = {
  readonly name: string
  /** Pixels; negative: hidden. */
  readonly width: number
  readonly set: (width: number) => void
}

function Column({ name, width, set }: ColumnProps) {
  const id = useId()
  const isShown = width > 0
  return (
    <>
      <label className="hstack" htmlFor={`${id}-shown`}>
        <Checkbox id={`${id}-shown`} checked={isShown} onChange={() => set(-width)} />
        {name}
      </label>
      <label className="sr-only" htmlFor={id}>
        Width of {name}
      </label>
      <input
        id={id}
        type="range"
        min={NARROWEST}
        max={WIDEST}
        step={STEP}
        disabled={!isShown}
        value={Math.abs(width)}
        aria-valuetext={`${Math.abs(width)} pixels`}
        onChange={(event) => set(Number(event.currentTarget.value))}
      />
      <span className="meta subtle num">{Math.abs(width)} px</span>
    </>
  )
}
