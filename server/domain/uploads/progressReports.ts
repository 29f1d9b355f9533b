import type { Events } from '../events.ts'
import type { UploadRow } from './rows.ts'

/** At most four reports a second for one upload: a progress bar needs no more. */
const INTERVAL_MS = 250
/** Of so many uploads the time of the last report is remembered. */
const REMEMBERED = 1_000

/** Tells subscribers how far an upload is; the report with a file id is the last one and always sent. */
export function createProgressReports(events: Events) {
  const lastAt = new Map<string, number>()

  return (upload: UploadRow, receivedBytes: number, fileId: string | null = null): void => {
    const now = performance.now()
    if (fileId === null && now - (lastAt.get(upload.id) ?? Number.NEGATIVE_INFINITY) < INTERVAL_MS) return
    lastAt.delete(upload.id)
    if (fileId === null) lastAt.set(upload.id, now)
    const [oldest] = lastAt.keys()
    if (lastAt.size > REMEMBERED && oldest !== undefined) lastAt.delete(oldest)
    events.publish('uploadProgressed', upload.user_id, {
      uploadId: upload.id,
      receivedBytes,
      totalBytes: upload.size ?? receivedBytes,
      fileId,
    })
  }
}
