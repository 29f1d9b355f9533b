import { fetchBytes, IN_PAGE_BYTES, probe, RefusedError, saveBlob, saveByLink } from '../../lib/downloadBytes.ts'
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

  const addRow = (id: string, file: DownloadFile) => {
    files.set(id, file)
    const row = { id, direction: 'down', name: file.name, mimeType: file.mimeType ?? '', size: file.size } as const
    store.add([{ ...row, sent: 0, state: 'queued', error: null, fileId: file.id, batchId: id, place: '' }])
  }

  const forget = (id: string) => {
    aborts.get(id)?.abort()
    files.delete(id)
    store.remove([id])
  }

  /** The browser saves it, and has no words for a refusal: so there is a row only for what cannot be downloaded. */
  const runInBrowser = async (id: string, file: DownloadFile) => {
    try {
      await probe(file.downloadUrl)
      forget(id)
      saveByLink(file.downloadUrl, '')
    } catch (error) {
      if (!store.get(id)) addRow(id, file)
      store.patch(id, { state: 'failed', error: wordsFor(error) })
    }
  }

  return {
    start(file: DownloadFile): void {
      const id = newId()
      if (isForBrowser(file)) return void runInBrowser(id, file)
      addRow(id, file)
      void run(id, file)
    },
    retry(id: string): void {
      const file = files.get(id)
      if (file && store.get(id)?.state === 'failed') void (isForBrowser(file) ? runInBrowser : run)(id, file)
    },
    cancel: forget,
    stop(): void {
      for (const abort of aborts.values()) abort.abort()
    },
  }
}

const isForBrowser = ({ kind, size }: DownloadFile) => kind === 'FOLDER' || size > IN_PAGE_BYTES

function wordsFor(error: unknown): string {
  if (!(error instanceof RefusedError)) return 'The connection was lost. Retry when you are back online.'
  if (error.status === 404) return 'The file no longer exists.'
  if (error.status === 401) return 'You are signed out. Sign in again, then retry.'
  if (error.detail) return error.detail
  return 'The server could not send the file. Retry in a moment.'
}
