import type { ByteReader } from '../byteReader.ts'
import { decodeText } from '../fetchText.ts'
import type { ContentProps } from '../useContent.ts'
import { useContent } from '../useContent.ts'
import { Waiting } from '../Waiting.tsx'
import { DataTable } from './DataTable.tsx'
import { limitRows, parseDelimited, type Rows } from './rows.ts'
import styles from './Table.module.css'

/** Enough for 10,000 rows of 400 characters. */
const MOST_BYTES = 4 * 1024 * 1024

/** CSV or TSV as a table, whose first row names the columns. */
export function DelimitedPreview({ name, url, size, cannotShow }: ContentProps) {
  const { value, reason } = useContent(url, size, readRows)
  if (reason !== null) return cannotShow(reason)
  if (!value) return <Waiting />
  return (
    <div className={styles.book}>
      <DataTable name={name} data={value} hasHeader />
    </div>
  )
}

async function readRows(file: ByteReader): Promise<Rows> {
  const isCut = file.size > MOST_BYTES
  const rows = parseDelimited(decodeText(await file.read(0, MOST_BYTES), isCut))
  // The last row may be incomplete.
  return limitRows(isCut ? rows.slice(0, -1) : rows, isCut)
}
