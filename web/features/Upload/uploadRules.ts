import { formatBytes } from '../../lib/formatBytes.ts'
import { isFinished, isOpen, type Transfer } from '../../lib/uploadQueue.ts'

/** A chosen file; `transfer` is null until Upload was pressed. */
export type QueueItem = { readonly id: string; readonly file: File; readonly folders: readonly string[] }
export type QueueRow = QueueItem & { readonly transfer: Transfer | null }

export type QueueState = {
  readonly isUploading: boolean
  /** At least one file was chosen and all are durable. */
  readonly isUploaded: boolean
  readonly canUpload: boolean
  /** The label of the Upload button. */
  readonly button: 'Upload' | 'Uploading...' | 'Uploaded'
}

/** `isReady`: the destination is known and can be used. */
export function queueState(rows: readonly QueueRow[], isReady: boolean): QueueState {
  const isUploading = rows.some(({ transfer }) => transfer !== null && isOpen(transfer))
  const isUploaded = rows.length > 0 && rows.every(({ transfer }) => transfer !== null && isFinished(transfer))
  const canUpload = rows.length > 0 && !isUploading && !isUploaded && isReady
  return {
    isUploading,
    isUploaded,
    canUpload,
    button: isUploading ? 'Uploading...' : isUploaded ? 'Uploaded' : 'Upload',
  }
}

/** 'Total: 3 file(s) (36.56 MB)' */
export function totalText(rows: readonly QueueItem[]): string {
  const bytes = rows.reduce((sum, { file }) => sum + file.size, 0)
  return `Total: ${rows.length} file(s) (${formatBytes(bytes)})`
}

type UploadType = { readonly mimeType: string; readonly extensions: readonly string[] }

/** The server's accepted types as the drop zone wants them; undefined accepts any. */
export function acceptMap(types: readonly UploadType[] | null | undefined): Record<string, string[]> | undefined {
  return types ? Object.fromEntries(types.map(({ mimeType, extensions }) => [mimeType, [...extensions]])) : undefined
}

/** The folders of a dropped folder's file, from the path that the drop zone gives it ("./a.txt", "/Trip/a.txt"). */
export function foldersOf(path: string | undefined): string[] {
  const parts = (path ?? '').split('/').filter((part) => part !== '' && part !== '.')
  return parts.slice(0, -1)
}
