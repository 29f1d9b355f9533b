/** The part of a file that a text preview shows. */
const MOST_BYTES = 1024 * 1024

export type TextPart = {
  readonly text: string
  /** The file is longer than this. */
  readonly isCut: boolean
}

/**
 * The first MiB as text. UTF-8 is assumed, UTF-16 is taken from its mark. @throws Error when the bytes cannot be
 * loaded
 */
export async function fetchText(url: string, size: number, signal: AbortSignal): Promise<TextPart> {
  if (size === 0) return { text: '', isCut: false }
  const response = await fetch(url, { signal, headers: { Range: `bytes=0-${MOST_BYTES - 1}` } })
  if (!response.ok) throw new Error(`Answered ${response.status}`)
  const bytes = new Uint8Array(await response.arrayBuffer()).subarray(0, MOST_BYTES)
  const isCut = size > MOST_BYTES
  // The last character may be incomplete: `stream` omits it instead of showing a replacement character.
  return { text: new TextDecoder(encodingOf(bytes)).decode(bytes, { stream: isCut }), isCut }
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return 'utf-8'
}
