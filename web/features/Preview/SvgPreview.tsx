import { useEffect, useState } from 'react'
import { ImagePreview } from './ImagePreview.tsx'
import { TextPreview } from './TextPreview.tsx'
import type { ContentProps } from './useContent.ts'

/** A drawing larger than this is shown as text: rendering would take seconds. */
const MOST_BYTES = 8 * 1024 * 1024

/**
 * An SVG drawn as an image. As an image it runs no script and loads nothing, and its bytes come as those of a download,
 * so that no address of this server ever shows it as a page. What cannot be rendered is shown as text.
 */
export function SvgPreview(props: ContentProps) {
  const { name, url, size } = props
  const [source, setSource] = useState<string | 'broken' | null>(null)
  useEffect(() => {
    const leaving = new AbortController()
    let made: string | null = null
    fetchSvg(url, size, leaving.signal).then(
      (blob) => {
        if (leaving.signal.aborted) return
        made = URL.createObjectURL(blob)
        setSource(made)
      },
      () => setSource('broken'),
    )
    return () => {
      leaving.abort()
      if (made) URL.revokeObjectURL(made)
    }
  }, [url, size])
  if (source === 'broken') return <TextPreview {...props} isMarkdown={false} />
  return source && <ImagePreview name={name} url={source} onBroken={() => setSource('broken')} />
}

/** @throws Error when it cannot be loaded or is too large */
async function fetchSvg(url: string, size: number, signal: AbortSignal): Promise<Blob> {
  if (size > MOST_BYTES) throw new Error('Too large to display')
  const response = await fetch(url, { signal })
  if (!response.ok) throw new Error(`Answered ${response.status}`)
  return new Blob([await response.arrayBuffer()], { type: 'image/svg+xml' })
}
