import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { type ByteReader, remoteBytes } from '../byteReader.ts'
import { reasonOfPreview } from '../previewError.ts'
import { type Piece, pieceAt, pieceBefore, pieceFrom, wrapped } from './longText.ts'

/** Pieces that are kept, of 256 KiB each. */
const MOST_PIECES = 8

/** A contiguous part of a text. `firstLine`: the number of its first line; null where nothing before it was counted. */
export type Loaded = {
  readonly pieces: readonly Piece[]
  readonly firstLine: number | null
  /** Rows that came in front since the part before, or left there (negative): what is in view moves by as many. */
  readonly moved: number
  /** Set by a jump: show the first or the last row. */
  readonly jumpedTo: 'start' | 'end' | null
  /** The same pieces before they were wrapped otherwise, where that is what changed last: what is in view stays. */
  readonly before?: readonly Piece[]
}

/**
 * A text of any size, of which only what is near the window is loaded. `columns`: longer rows are wrapped; null: they are not.
 */
export function useLongText(url: string, size: number, columns: number | null) {
  const [loaded, setLoaded] = useState<Loaded | null>(null)
  const [reason, setReason] = useState<string | null>(null)
  const running = useRef<AbortController | null>(null)
  const now = useRef(columns)
  const fitted = useCallback((piece: Piece) => wrapped(piece, now.current), [])
  useLayoutEffect(() => {
    if (now.current === columns) return
    now.current = columns
    setLoaded((was) => was && { ...was, pieces: was.pieces.map(fitted), moved: 0, jumpedTo: null, before: was.pieces })
  }, [columns, fitted])

  const run = useCallback(
    (load: (file: ByteReader) => Promise<(now: Loaded | null) => Loaded | null>, isJump: boolean) => {
      if (running.current && !isJump) return
      running.current?.abort()
      const mine = new AbortController()
      running.current = mine
      load(remoteBytes(url, size, mine.signal))
        .then(
          (change) => {
            if (mine.signal.aborted) return
            setReason(null)
            setLoaded(change)
          },
          (error: unknown) => mine.signal.aborted || setReason(reasonOfPreview(error)),
        )
        .finally(() => {
          if (running.current === mine) running.current = null
        })
    },
    [url, size],
  )
  /** Shows the text at this byte; at `size`, its end. */
  const jump = useCallback(
    (offset: number) =>
      run(async (file) => {
        const atEnd = offset >= size
        const piece = fitted(atEnd ? await pieceBefore(file, size) : await pieceAt(file, offset))
        return () => ({
          pieces: [piece],
          firstLine: piece.start === 0 ? 1 : null,
          moved: 0,
          jumpedTo: atEnd ? 'end' : 'start',
        })
      }, true),
    [run, size, fitted],
  )
  useEffect(() => {
    setReason(null)
    jump(0)
    return () => running.current?.abort()
  }, [jump])

  const loadNext = useCallback(
    (end: number) => run(async (file) => appended(fitted(await pieceFrom(file, end))), false),
    [run, fitted],
  )
  const loadPrevious = useCallback(
    (start: number) => run(async (file) => prepended(fitted(await pieceBefore(file, start))), false),
    [run, fitted],
  )
  return { loaded, reason, jump, loadNext, loadPrevious }
}

const appended = (piece: Piece) => (now: Loaded | null) => {
  if (!now || now.pieces.at(-1)?.end !== piece.start) return now
  const pieces = [...now.pieces, piece]
  const { firstLine: first } = now
  if (pieces.length <= MOST_PIECES) return { pieces, firstLine: first, moved: 0, jumpedTo: null }
  const gone = pieces.shift()
  const firstLine = first === null ? null : first + (gone?.breaks ?? 0)
  return { pieces, firstLine, moved: -(gone?.rows.length ?? 0), jumpedTo: null }
}

const prepended = (piece: Piece) => (now: Loaded | null) => {
  if (!now || now.pieces[0]?.start !== piece.end) return now
  const pieces = [piece, ...now.pieces].slice(0, MOST_PIECES)
  const before = now.firstLine === null ? null : now.firstLine - piece.breaks
  return { pieces, firstLine: piece.start === 0 ? 1 : before, moved: piece.rows.length, jumpedTo: null }
}
