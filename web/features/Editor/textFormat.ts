import { encodingOf } from '../Preview/fetchText.ts'

/** How a text is written as bytes. */
export type TextFormat = {
  readonly encoding: 'UTF-8' | 'UTF-16' | 'other'
  readonly hasMark: boolean
  /** `mixed`: the ends of lines differ, and stay in the text as they are. */
  readonly lineEnd: 'LF' | 'CRLF' | 'mixed'
}

/** What the editor shows of a file. Lines end with "\n" unless they are mixed. */
export type DecodedText = { readonly text: string; readonly format: TextFormat }

const MARK = [0xef, 0xbb, 0xbf] as const

/** Bytes as text that `encodeText` turns into the same bytes again, if they are UTF-8. */
export function decodeForEditing(bytes: Uint8Array): DecodedText {
  if (encodingOf(bytes) !== 'utf-8') return decoded(new TextDecoder(encodingOf(bytes)).decode(bytes), 'UTF-16', true)
  const hasMark = MARK.every((byte, index) => bytes[index] === byte)
  const content = hasMark ? bytes.subarray(MARK.length) : bytes
  try {
    return decoded(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content), 'UTF-8', hasMark)
  } catch {
    return decoded(new TextDecoder('windows-1252').decode(bytes), 'other', false)
  }
}

function decoded(text: string, encoding: TextFormat['encoding'], hasMark: boolean): DecodedText {
  const lineEnd = lineEndOf(text)
  return {
    text: lineEnd === 'CRLF' ? text.replaceAll('\r\n', '\n') : text,
    format: { encoding, hasMark, lineEnd },
  }
}

function lineEndOf(text: string): TextFormat['lineEnd'] {
  if (!text.includes('\r')) return 'LF'
  return /\r(?!\n)|(?<!\r)\n/.test(text) ? 'mixed' : 'CRLF'
}

/** The bytes of a text, in the format that its file had. */
export function encodeText(text: string, { hasMark, lineEnd }: TextFormat): Uint8Array<ArrayBuffer> {
  const content = new TextEncoder().encode(lineEnd === 'CRLF' ? text.replaceAll('\n', '\r\n') : text)
  if (!hasMark) return content
  const bytes = new Uint8Array(MARK.length + content.length)
  bytes.set(MARK)
  bytes.set(content, MARK.length)
  return bytes
}

/** Only what `encodeText` writes back unchanged can be edited. */
export const isWritable = ({ encoding }: TextFormat): boolean => encoding === 'UTF-8'
