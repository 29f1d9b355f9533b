import type { TransfersStore } from './transfersStore.ts'

/** Up to here a download is gathered in memory, so that its progress can be shown. */
const IN_PANEL_BYTES = 64 * 1024 * 1024
/** Long enough for the browser to have opened the file it is asked to save. */
const REVOKE_MS = 60_000

/** `size` is bytes; folders, whose size is not known, are larger than anything. */
export type DownloadFile = {
  readonly id: string
  readonly name: string
  readonly size: number
  readonly downloadUrl: string
  readonly mimeType?: string | null | undefined
  readonly kind?: string
}

type Deps = {
  readonly store: TransfersStore
  readonly newId: () => string
  /** Hands the bytes, or an address to fetch them from, to the browser under this name. */
  readonly save: (url: string, name: string) => void
}

export function createDownloads({ store, newId, save }: Deps) {
  const files = new Map<string, DownloadFile>()
  const aborts = new Map<string, AbortController>()

  const run = async (id: string, file: DownloadFile) => {
    const abort = new AbortController()
    aborts.set(id, abort)
    store.patch(id, { state: 'running', sent: 0, error: null })
    try {
      const bytes = await fetchBytes(file.downloadUrl, abort.signal, (sent) => store.patch(id, { sent }))
      saveBlob(bytes, file.name, save)
      store.patch(id, { state: 'done', sent: file.size })
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
      if (file.kind === 'FOLDER' || file.size > IN_PANEL_BYTES) {
        save(file.downloadUrl, '')
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

/** The address answered with something else than the bytes. */
class RefusedError extends Error {
  constructor(readonly status: number) {
    super(`Answered ${status}`)
  }
}

async function fetchBytes(url: string, signal: AbortSignal, onProgress: (bytes: number) => void): Promise<Blob> {
  const response = await fetch(url, { signal })
  if (!response.ok || !response.body) throw new RefusedError(response.status)
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let sent = 0
  const reader = response.body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return new Blob(chunks, { type: response.headers.get('Content-Type') ?? 'application/octet-stream' })
    chunks.push(value)
    sent += value.length
    onProgress(sent)
  }
}

function saveBlob(bytes: Blob, name: string, save: Deps['save']): void {
  const url = URL.createObjectURL(bytes)
  save(url, name)
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_MS)
}

function wordsFor(error: unknown): string {
  if (!(error instanceof RefusedError)) return 'The connection was lost. Retry when it is back.'
  if (error.status === 404) return 'The file is not there any more.'
  if (error.status === 401) return 'You are signed out. Sign in again, then retry.'
  return 'The server could not send the file. Retry in a moment.'
}

/** Through a link, which is how a page asks the browser to save something. An empty name leaves it to the server. */
export function saveByLink(url: string, name: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
}
