import { fetchBytes, IN_PAGE_BYTES, RefusedError, saveBlob, saveByLink } from '../../lib/downloadBytes.ts'
import type { TransfersStore } from './transfersStore.ts'

/** `size` is bytes; 0 where it is not known. Folders are larger than anything. */
export type DownloadFile = {
  readonly id: string
  readonly name: string
  readonly size: number
  readonly downloadUrl: string
  readonly mimeType?: string | null | undefined
  readonly kind?: string
}

export type DownloadsDeps = { readonly store: TransfersStore; readonly newId: () => string }

export function createDownloads({ store, newId }: DownloadsDeps) {
  const files = new Map<string, DownloadFile>()
  const aborts = new Map<string, AbortController>()

  const run = async (id: string, file: DownloadFile) => {
    const abort = new AbortController()
    aborts.set(id, abort)
    store.patch(id, { state: 'running', sent: 0, error: null })
    try {
      const bytes = await fetchBytes(file.downloadUrl, abort.signal, (sent) => store.patch(id, { sent }))
      saveBlob(bytes, file.name, saveByLink)
      store.patch(id, { state: 'done', sent: bytes.size, size: bytes.size })
    } catch (error) {
      if (abort.signal.aborted) return
      console.error(`The download of ${file.name} failed`, error)
      store.patch(id, { state: 'failed', sent: 0, error: wordsFor(error) })
    } finally {
      aborts.delete(id)
    }
  }

  return {
    start(file: DownloadFile): void {
      if (file.kind === 'FOLDER' || file.size > IN_PAGE_BYTES) {
        saveByLink(file.downloadUrl, '')
        return
      }
      const id = newId()
      files.set(id, file)
      const row = { id, direction: 'down', name: file.name, mimeType: file.mimeType ?? '', size: file.size } as const
      store.add([{ ...row, sent: 0, state: 'queued', error: null, fileId: file.id, batchId: id, place: '' }])
      void run(id, file)
    },
    retry(id: string): void {
      const file = files.get(id)
      if (file && store.get(id)?.state === 'failed') void run(id, file)
    },
    cancel(id: string): void {
      aborts.get(id)?.abort()
      files.delete(id)
      store.remove([id])
    },
    stop(): void {
      for (const abort of aborts.values()) abort.abort()
    },
  }
}

function wordsFor(error: unknown): string {
  if (!(error instanceof RefusedError)) return 'The connection was lost. Retry when you are back online.'
  if (error.status === 404) return 'The file no longer exists.'
  if (error.status === 401) return 'You are signed out. Sign in again, then retry.'
  if (error.detail) return error.detail
  return 'The server could not send the file. Retry in a moment.'
}
