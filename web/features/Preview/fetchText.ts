import { decodeText, encodingOf } from './decodeText.ts'

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
 * The first MiB as text. UTF-8 is assumed, UTF-16 is taken from its mark. @throws Error when the bytes cannot be
 * loaded
 */
export async function fetchText(url: string, size: number, signal: AbortSignal): Promise<TextPart> {
  if (size === 0) return { text: '', isCut: false, isUtf8: true }
  const response = await fetch(url, { signal, headers: { Range: `bytes=0-${MOST_TEXT_BYTES - 1}` } })
  if (!response.ok) throw new Error(`Answered ${response.status}`)
  const bytes = new Uint8Array(await response.arrayBuffer()).subarray(0, MOST_TEXT_BYTES)
  const isCut = size > MOST_TEXT_BYTES
  return { text: decodeText(bytes, isCut), isCut, isUtf8: encodingOf(bytes) === 'utf-8' }
}
