import { useState } from 'react'
import { Tabs } from '../../../ui/Tabs.tsx'
import type { ByteReader } from '../byteReader.ts'
import { messages } from '../messages.ts'
import { readOfficeFile } from '../office/officeFile.ts'
import { runWorker } from '../runWorker.ts'
import type { ContentProps } from '../useContent.ts'
import { useContent } from '../useContent.ts'
import { Waiting } from '../Waiting.tsx'
import { DataTable } from './DataTable.tsx'
import type { Sheet } from './sheetWorker.ts'
import styles from './Table.module.css'

const MOST_MS = 20_000

/** The sheets of an xlsx as tabs; values as they were last calculated. */
export function WorkbookPreview({ name, url, size, cannotShow }: ContentProps) {
  const { value: sheets, reason } = useContent(url, size, readSheets)
  const [chosen, setChosen] = useState('0')
  if (reason !== null) return cannotShow(reason)
  if (!sheets) return <Waiting />
  const shown = sheets[Number(chosen)] ?? sheets[0]
  if (!shown) return cannotShow(messages.damaged)
  return (
    <div className={styles.book}>
      <Tabs
        small
        label={messages.sheets}
        tabs={sheets.map(({ title }, index) => ({ id: String(index), label: title }))}
        selected={chosen}
        onSelect={setChosen}
      >
        <DataTable key={chosen} name={`${name}, ${shown.title}`} data={shown.data} hasHeader={false} />
      </Tabs>
    </div>
  )
}

async function readSheets(file: ByteReader, signal: AbortSignal): Promise<readonly Sheet[]> {
  const { bytes } = await readOfficeFile(file)
  const worker = new Worker(new URL('./sheetWorker.ts', import.meta.url))
  return runWorker(worker, bytes, signal, MOST_MS)
}
