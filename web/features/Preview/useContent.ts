import { type ReactNode, useEffect, useState } from 'react'
import { type ByteReader, remoteBytes } from './byteReader.ts'
import { reasonOfPreview } from './previewError.ts'

/** Of every preview that reads the content of a file. */
export type ContentProps = {
  readonly name: string
  /** Where the bytes are; ranges of them can be read. */
  readonly url: string
  readonly size: number
  /** What is shown instead; the reason completes "This file cannot be shown: …". */
  readonly cannotShow: (reason: string) => ReactNode
}

/** What came of a file; both null while it loads. `reason` completes "This file cannot be shown: …". */
export type Content<T> = { readonly value: T | null; readonly reason: string | null }

/** Turns one file into what its preview shows. The signal ends when the preview closes. */
export type LoadContent<T> = (file: ByteReader, signal: AbortSignal) => Promise<T>

/** The content of the file at `url`, of `size` bytes. `load` has to be the same function each time. */
export function useContent<T>(url: string, size: number, load: LoadContent<T>): Content<T> {
  const [loaded, setLoaded] = useState<(Content<T> & { readonly url: string }) | null>(null)
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    load(remoteBytes(url, size, signal), signal).then(
      (value) => !signal.aborted && setLoaded({ url, value, reason: null }),
      (error: unknown) => {
        if (signal.aborted) return
        console.info('A file has no preview', error)
        setLoaded({ url, value: null, reason: reasonOfPreview(error) })
      },
    )
    return () => leaving.abort()
  }, [url, size, load])
  return loaded?.url === url ? loaded : { value: null, reason: null }
}
