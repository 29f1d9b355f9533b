import { serverText } from './serverText.ts'

/** Up to here a download is gathered in memory, so that its progress can be shown. */
export const IN_PAGE_BYTES = 64 * 1024 * 1024
/** Long enough for the browser to start saving the file. */
const REVOKE_MS = 60_000

/** The server did not respond with the bytes. */
export class RefusedError extends Error {
  constructor(
    readonly status: number,
    /** The server's message to people; empty for errors without one. */
    readonly detail = '',
  ) {
    super(`Answered ${status}`)
  }
}

/** Reads the whole of `url` into memory. @throws RefusedError, or what fetch throws */
export async function fetchBytes(url: string, signal: AbortSignal, onProgress: (bytes: number) => void): Promise<Blob> {
  const response = await fetch(url, { signal })
  if (!response.ok || !response.body) throw await refusalOf(response)
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

/** Asks whether `url` can be downloaded now. @throws RefusedError, or what fetch throws */
export async function probe(url: string): Promise<void> {
  if ((await fetch(url, { method: 'HEAD' })).ok) return
  // The reason is in the body.
  const reading = new AbortController()
  const response = await fetch(url, { signal: reading.signal })
  if (!response.ok) throw await refusalOf(response)
  reading.abort()
}

async function refusalOf(response: Response): Promise<RefusedError> {
  const problem = (await response.json().catch(() => null)) as { readonly detail?: string } | null
  return new RefusedError(response.status, problem?.detail && serverText(problem.detail))
}

/** Passes bytes in memory to `save`, as an object URL that lasts long enough. */
export function saveBlob(bytes: Blob, name: string, save: (url: string, name: string) => void): void {
  const url = URL.createObjectURL(bytes)
  save(url, name)
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_MS)
}

/** Through a link, which is how a page asks the browser to save something. With an empty name the server decides. */
export function saveByLink(url: string, name: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
}
