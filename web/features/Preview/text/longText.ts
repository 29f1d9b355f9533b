import type { ByteReader, Bytes } from '../byteReader.ts'

/** How much is read at once. */
const PIECE_BYTES = 256 * 1024
/** A longer line is continued in the next row: browsers take seconds to lay out lines of megabytes. */
const LONGEST_ROW = 2_000
const NEWLINE = 10

/** A part of a text: whole lines, except where a single line is longer than a piece. */
export type Piece = {
  /** Bytes from `start` up to, not including, `end`. */
  readonly start: number
  readonly end: number
  readonly rows: readonly Row[]
  /** Line breaks in it. */
  readonly breaks: number
  /** Its rows as they are when they are not wrapped, while they are. */
  readonly unwrapped?: readonly Row[]
}

/** `line`: its index within the piece; null: it continues the row before. */
export type Row = { readonly text: string; readonly line: number | null }

/** The piece that begins at `start`, which is a beginning of a line. @throws PreviewError, TypeError */
export async function pieceFrom(file: ByteReader, start: number): Promise<Piece> {
  const bytes = await file.read(start, start + PIECE_BYTES)
  const isLast = start + bytes.length >= file.size
  const length = isLast ? bytes.length : wholeLines(bytes)
  return pieceOf(start, bytes.subarray(0, length))
}

/** The piece that ends at `end`. @throws PreviewError, TypeError */
export async function pieceBefore(file: ByteReader, end: number): Promise<Piece> {
  const from = Math.max(0, end - PIECE_BYTES)
  const bytes = await file.read(from, end)
  const skipped = from === 0 ? 0 : firstLineStart(bytes, bytes.length - 1)
  return pieceOf(from + skipped, bytes.subarray(skipped))
}

/** The piece around an offset that may be anywhere in a line. @throws PreviewError, TypeError */
export async function pieceAt(file: ByteReader, offset: number): Promise<Piece> {
  if (offset <= 0) return pieceFrom(file, 0)
  const probe = await file.read(offset, offset + PIECE_BYTES)
  const skipped = firstLineStart(probe, probe.length)
  const start = offset + skipped
  return start >= file.size ? pieceBefore(file, file.size) : pieceFrom(file, start)
}

/** Where the first line begins, before `limit`; without a line break, where the first character does. */
function firstLineStart(bytes: Bytes, limit: number): number {
  const at = bytes.indexOf(NEWLINE)
  if (at >= 0 && at + 1 <= limit) return at + 1
  return bytes.findIndex((byte) => (byte & 0xc0) !== 0x80)
}

/** How many bytes end with a line break; without one, with a character. */
function wholeLines(bytes: Bytes): number {
  const at = bytes.lastIndexOf(NEWLINE)
  if (at >= 0) return at + 1
  let end = bytes.length - 1
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  // The last character may be incomplete.
  return end > 0 ? end : bytes.length
}

function pieceOf(start: number, bytes: Bytes): Piece {
  const lines = new TextDecoder('utf-8', { ignoreBOM: start > 0 }).decode(bytes).split('\n')
  const breaks = lines.length - 1
  // After the last line break the next piece begins.
  if (lines.at(-1) === '') lines.pop()
  const rows = lines.flatMap((line, index) => rowsOf(line.endsWith('\r') ? line.slice(0, -1) : line, index))
  return { start, end: start + bytes.length, rows, breaks }
}

function rowsOf(line: string, index: number): Row[] {
  if (line.length <= LONGEST_ROW) return [{ text: line, line: index }]
  return Array.from({ length: Math.ceil(line.length / LONGEST_ROW) }, (_, part) => ({
    text: line.slice(part * LONGEST_ROW, (part + 1) * LONGEST_ROW),
    line: part === 0 ? index : null,
  }))
}

/**
 * A piece whose rows have at most so many columns of a font with one width; they end after a space where there is one. `columns` null: as
 * it was before.
 */
export function wrapped({ unwrapped, ...piece }: Piece, columns: number | null): Piece {
  const whole = unwrapped ?? piece.rows
  if (columns === null) return { ...piece, rows: whole }
  const rows = whole.flatMap(({ text, line }) =>
    partsOf(text, columns).map((part, index): Row => ({ text: part, line: index === 0 ? line : null })),
  )
  return { ...piece, rows, unwrapped: whole }
}

/** Where the text of a row is in the same pieces after they were wrapped otherwise: the row with its first letter. */
export function rowAfterWrap(before: readonly Piece[], row: number, after: readonly Piece[]): number {
  let passed = 0
  for (const [index, piece] of before.entries()) {
    const rows = after[index]?.rows ?? []
    if (row < piece.rows.length) {
      const wanted = placesOf(piece.rows)[row] ?? 0
      return passed + placesOf(rows).findLastIndex((place) => place <= wanted)
    }
    row -= piece.rows.length
    passed += rows.length
  }
  return passed
}

/** How many letters and beginnings of lines there are up to each row. */
function placesOf(rows: readonly Row[]): number[] {
  let place = 0
  return rows.map(({ text, line }) => {
    if (line !== null) place += 1
    const own = place
    place += text.length
    return own
  })
}

const TAB = 9
const SPACE = 32
/** From here on, letters such as those of Chinese are two columns wide. */
const WIDE = 0x1100

function partsOf(text: string, columns: number): string[] {
  const parts: string[] = []
  let start = 0
  /** Where the row can be cut, and its width until there. */
  let afterSpace = 0
  let widthAtSpace = 0
  let width = 0
  let at = 0
  for (const letter of text) {
    const code = letter.codePointAt(0) ?? 0
    const own = code === TAB ? 4 : code >= WIDE ? 2 : 1
    if (width + own > columns && at > start) {
      const isAtSpace = afterSpace > start
      const end = isAtSpace ? afterSpace : at
      parts.push(text.slice(start, end))
      start = end
      width = isAtSpace ? width - widthAtSpace : 0
    }
    width += own
    at += letter.length
    if (code === SPACE) {
      afterSpace = at
      widthAtSpace = width
    }
  }
  parts.push(text.slice(start))
  return parts
}
