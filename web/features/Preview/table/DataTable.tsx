import { useMemo, useRef } from 'react'
import { nameText } from '../../../lib/nameText.ts'
import { messages } from '../messages.ts'
import { MOST_COLUMNS, MOST_ROWS, type Rows } from './rows.ts'
import styles from './Table.module.css'
import { useWindow } from './useWindow.ts'

/** The same as in the stylesheet. */
const ROW_HEIGHT = 28
/** Rows that decide how wide columns are. */
const MEASURED_ROWS = 200
const CHARACTER_PX = 7.5

type Props = {
  readonly name: string
  readonly data: Rows
  /** Whether the first row names the columns; otherwise they have letters. */
  readonly hasHeader: boolean
}

/** Rows and columns of text. Only the rows in the window are rendered. */
export function DataTable({ name, data, hasHeader }: Props) {
  const scroller = useRef<HTMLElement>(null)
  const rows = hasHeader ? data.rows.slice(1) : data.rows
  const { first, end } = useWindow(scroller, rows.length, ROW_HEIGHT)
  const widths = useMemo(() => columnWidths(data), [data])
  const titles = hasHeader ? data.rows[0] : undefined
  if (data.columns === 0) return <p className={styles.empty}>{messages.emptyTable}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles.scroller} ref={scroller} tabIndex={0} aria-label={nameText(name)}>
      <table className={styles.table} aria-rowcount={rows.length + 1}>
        <colgroup>
          <col className={styles.numbers} />
          {widths.map((width, index) => (
            <col key={index} style={{ width }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            <td className={styles.corner} />
            {widths.map((_, index) => (
              <th key={index} scope="col">
                {titles ? titles[index] : columnLetters(index)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Gap rows={first} />
          {rows.slice(first, end).map((row, index) => (
            <tr key={first + index} aria-rowindex={first + index + 2}>
              <th scope="row" className="num">
                {first + index + 1}
              </th>
              {widths.map((_, column) => (
                <td key={column}>{row[column]}</td>
              ))}
            </tr>
          ))}
          <Gap rows={rows.length - end} />
        </tbody>
      </table>
      {data.isCut && <p className={styles.note}>{messages.rowsCut(hasHeader ? MOST_ROWS - 1 : MOST_ROWS)}</p>}
      {data.hasMoreColumns && <p className={styles.note}>{messages.columnsCut(MOST_COLUMNS)}</p>}
    </section>
  )
}

/** Stands for rows that are not rendered. */
function Gap({ rows }: { rows: number }) {
  if (rows <= 0) return null
  return (
    <tr aria-hidden>
      <td style={{ height: rows * ROW_HEIGHT, padding: 0, border: 0 }} />
    </tr>
  )
}

function columnWidths({ rows, columns }: Rows): number[] {
  const lengths = new Array<number>(columns).fill(4)
  for (const row of rows.slice(0, MEASURED_ROWS)) {
    row.forEach((cell, index) => {
      lengths[index] = Math.max(lengths[index] ?? 0, Math.min(cell.length, 40))
    })
  }
  return lengths.map((length) => Math.ceil(length * CHARACTER_PX) + 24)
}

/** A to Z, AA to ZZ and so on, as spreadsheets name their columns. */
function columnLetters(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26))
  return index < 26 ? letter : columnLetters(Math.floor(index / 26) - 1) + letter
}
