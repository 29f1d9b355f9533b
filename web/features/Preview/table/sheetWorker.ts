import readWorkbook from 'read-excel-file/web-worker'
import type { WorkerAnswer } from '../runWorker.ts'
import { limitRows, type Rows } from './rows.ts'

export type Sheet = { readonly title: string; readonly data: Rows }

/** Runs in a worker: a workbook as text, as much of it as a table shows. */
addEventListener('message', ({ data }: MessageEvent<ArrayBuffer>) => {
  readSheets(data).then(
    (value) => answer({ value }),
    () => answer({ failed: true }),
  )
})

const answer = (message: WorkerAnswer<readonly Sheet[]>) => postMessage(message)

async function readSheets(workbook: ArrayBuffer): Promise<Sheet[]> {
  const sheets = await readWorkbook(workbook, { trim: false })
  return sheets.map(({ sheet, data }) => ({
    title: sheet,
    data: limitRows(
      data.slice(0, 10_001).map((row) => row.map(cellText)),
      false,
    ),
  }))
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  if (!(value instanceof Date)) return String(value)
  if (Number.isNaN(value.getTime())) return ''
  const text = value.toISOString()
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 16).replace('T', ' ')
}
