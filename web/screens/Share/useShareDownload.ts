import { useCallback, useEffect, useRef, useState } from 'react'
import { announce } from '../../lib/announce.ts'
import { fetchBytes, IN_PAGE_BYTES, RefusedError, saveBlob, saveByLink } from '../../lib/downloadBytes.ts'
import { nameText } from '../../lib/nameText.ts'
import { messages } from './messages.ts'

/** Progress comes many times a second; people and React need it ten times. */
const PROGRESS_MS = 100

export type SharedDownload = {
  readonly url: string
  readonly name: string
  /** Bytes; null for a folder, whose ZIP has no size that is known before. */
  readonly size: number | null
}

export type DownloadState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly file: SharedDownload; readonly sent: number }
  | { readonly kind: 'done'; readonly file: SharedDownload }
  | { readonly kind: 'failed'; readonly file: SharedDownload; readonly error: string }

/** One download at a time. Up to 64 MiB the page shows its progress; the rest is handed to the browser. */
export function useShareDownload(onDone: () => void = () => undefined) {
  const [state, setState] = useState<DownloadState>({ kind: 'idle' })
  const abort = useRef<AbortController | null>(null)
  useEffect(() => () => abort.current?.abort(), [])

  const start = useCallback(
    async (file: SharedDownload) => {
      abort.current?.abort()
      const mine = new AbortController()
      abort.current = mine
      setState({ kind: 'running', file, sent: 0 })
      try {
        const isInPage = await transfer(file, mine.signal, (sent) => setState({ kind: 'running', file, sent }))
        setState(isInPage ? { kind: 'done', file } : { kind: 'idle' })
        if (isInPage) announce(`${messages.downloaded}: ${nameText(file.name)}`)
        onDone()
      } catch (error) {
        if (mine.signal.aborted) return
        console.warn('A download failed', error)
        setState({ kind: 'failed', file, error: wordsFor(error) })
      }
    },
    [onDone],
  )
  const cancel = useCallback(() => {
    abort.current?.abort()
    setState({ kind: 'idle' })
  }, [])
  return { state, start, cancel }
}

export type ShareDownload = ReturnType<typeof useShareDownload>

/** Resolves true when the bytes went through the page, false when the browser fetches them by itself. */
async function transfer(
  { url, name, size }: SharedDownload,
  signal: AbortSignal,
  onSent: (bytes: number) => void,
): Promise<boolean> {
  if (size === null || size > IN_PAGE_BYTES) {
    // The browser would save a refusal as if it were the file.
    const { ok, status } = await fetch(url, { method: 'HEAD', signal })
    if (!ok) throw new RefusedError(status)
    saveByLink(url, '')
    return false
  }
  saveBlob(await fetchBytes(url, signal, seldom(onSent)), name, saveByLink)
  return true
}

function seldom(report: (bytes: number) => void): (bytes: number) => void {
  let last = Number.NEGATIVE_INFINITY
  return (bytes) => {
    const now = performance.now()
    if (now - last < PROGRESS_MS) return
    last = now
    report(bytes)
  }
}

function wordsFor(error: unknown): string {
  if (!(error instanceof RefusedError)) return messages.lost
  if (error.status === 404) return messages.gone
  if (error.status === 401) return messages.locked
  if (error.status === 429) return messages.busy
  return error.status === 503 ? messages.cannotRead : messages.notSent
}
