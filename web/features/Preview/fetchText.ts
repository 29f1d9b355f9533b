import { refusedPreview } from './previewError.ts'

/** The part of a file that a text preview shows. */
export const MOST_TEXT_BYTES = 1024 * 1024

export type TextPart = {
  readonly text: string
  /** The file is longer than this. */
  readonly isCut: boolean
  /** It can be read further from any byte. */
  readonly isUtf8: boolean
}

/**
 * The first MiB as text. UTF-8 is assumed, UTF-16 is taken from its mark. @throws PreviewError, TypeError when the bytes cannot be
 * loaded
 */
export async function fetchText(url: string, size: number, signal: AbortSignal): Promise<TextPart> {
  if (size === 0) return { text: '', isCut: false, isUtf8: true }
  const response = await fetch(url, { signal, headers: { Range: `bytes=0-${MOST_TEXT_BYTES - 1}` } })
  if (!response.ok) throw refusedPreview(response.status)
  const bytes = new Uint8Array(await response.arrayBuffer()).subarray(0, MOST_TEXT_BYTES)
  const isCut = size > MOST_TEXT_BYTES
  return { text: decodeText(bytes, isCut), isCut, isUtf8: encodingOf(bytes) === 'utf-8' }
}

/**
 * Bytes as text. UTF-8 is assumed, UTF-16 is taken from its mark. `isCut`: the bytes may end within a character, which is omitted
 * then instead of shown as a replacement.
 */
export function decodeText(bytes: Uint8Array, isCut: boolean): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes, { stream: isCut })
}

/** By the mark at its beginning. */
export function encodingOf([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return 'utf-8'
}
