/**
 * Bytes as text. UTF-8 is assumed, UTF-16 is taken from its mark. `isCut`: the bytes may end within a character, which is omitted
 * then instead of shown as a replacement.
 */
export function decodeText(bytes: Uint8Array, isCut: boolean): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes, { stream: isCut })
}

export function encodingOf([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return 'utf-8'
}
