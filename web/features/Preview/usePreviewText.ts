import { useEffect, useState } from 'react'
import { fetchText, type TextPart } from './fetchText.ts'
import { reasonOfPreview } from './previewError.ts'

/** `reason` completes "This file cannot be shown: …"; null: it was read. */
type Loaded = { readonly url: string } & (
  | { readonly part: TextPart; readonly reason: null }
  | { readonly part: null; readonly reason: string }
)

/** The file's first MiB; null while it loads. */
export function usePreviewText(url: string, size: number): Loaded | null {
  const [loaded, setLoaded] = useState<Loaded | null>(null)
  useEffect(() => {
    const abort = new AbortController()
    fetchText(url, size, abort.signal).then(
      (part) => setLoaded({ url, part, reason: null }),
      (error: unknown) => {
        if (abort.signal.aborted) return
        console.error('A preview could not be read', error)
        setLoaded({ url, part: null, reason: reasonOfPreview(error) })
      },
    )
    return () => abort.abort()
  }, [url, size])
  return loaded?.url === url ? loaded : null
}
