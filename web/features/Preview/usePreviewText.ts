import { useEffect, useState } from 'react'
import { fetchText, type TextPart } from './fetchText.ts'

type Loaded = { readonly url: string; readonly part: TextPart | null; readonly isFailed: boolean }

/** The file's first MiB; null while it loads. */
export function usePreviewText(url: string, size: number): Loaded | null {
  const [loaded, setLoaded] = useState<Loaded | null>(null)
  useEffect(() => {
    const abort = new AbortController()
    fetchText(url, size, abort.signal).then(
      (part) => setLoaded({ url, part, isFailed: false }),
      (error: unknown) => {
        if (abort.signal.aborted) return
        console.error('A preview could not be read', error)
        setLoaded({ url, part: null, isFailed: true })
      },
    )
    return () => abort.abort()
  }, [url, size])
  return loaded?.url === url ? loaded : null
}
