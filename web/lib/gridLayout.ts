/** `left` is where a line begins, also in a language that is written from right to left. */
export type Motion = 'up' | 'down' | 'left' | 'right' | 'home' | 'end' | 'pageUp' | 'pageDown'

/** What keys ask for. */
export const MOTIONS: Record<string, Motion> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: import.meta.env.VITE_DIRECTION === 'rtl' ? 'right' : 'left',
  ArrowRight: import.meta.env.VITE_DIRECTION === 'rtl' ? 'left' : 'right',
  Home: 'home',
  End: 'end',
  PageUp: 'pageUp',
  PageDown: 'pageDown',
}

/**
 * One line of the grid: a heading, a line of folders or a line of files. `from` and `to` are row indexes, `to`
 * excluded.
 */
export type GridLine = { readonly kind: 'heading' | 'folders' | 'files'; readonly from: number; readonly to: number }

export type GridLayout = {
  readonly lineCount: number
  /** Where the files begin, below the folders and the headings. */
  readonly firstFileLine: number
  readonly lineAt: (line: number) => GridLine
  readonly lineOf: (index: number) => number
  readonly move: (index: number, motion: Motion, pageLines: number) => number
}

type Shape = {
  readonly count: number
  /** How many of the first rows are folders. */
  readonly folders: number
  readonly folderColumns: number
  readonly fileColumns: number
}

/** The layout of the grid, computed from the counts alone. */
export function gridLayout({ count, folders, folderColumns, fileColumns }: Shape): GridLayout {
  const files = count - folders
  const folderLines = Math.ceil(folders / folderColumns)
  const fileLines = Math.ceil(files / fileColumns)
  const folderHeading = folders > 0 ? 1 : 0
  const fileHeading = folders > 0 && files > 0 ? 1 : 0
  const firstFileLine = folderHeading + folderLines + fileHeading
  const lineCount = firstFileLine + fileLines

  const lineAt = (line: number): GridLine => {
    if (line < folderHeading) return { kind: 'heading', from: 0, to: folders }
    if (line < folderHeading + folderLines) {
      const from = (line - folderHeading) * folderColumns
      return { kind: 'folders', from, to: Math.min(folders, from + folderColumns) }
    }
    if (line < firstFileLine) return { kind: 'heading', from: folders, to: count }
    const from = folders + (line - firstFileLine) * fileColumns
    return { kind: 'files', from, to: Math.min(count, from + fileColumns) }
  }

  const lineOf = (index: number): number =>
    index < folders
      ? folderHeading + Math.floor(index / folderColumns)
      : firstFileLine + Math.floor((index - folders) / fileColumns)

  const vertical = (index: number, lines: number): number => {
    const step = Math.sign(lines)
    let at = index
    for (let left = Math.abs(lines); left > 0; left -= 1) {
      const next = neighbourLine(lineOf(at), step)
      if (next === null) break
      const here = lineAt(lineOf(at))
      const there = lineAt(next)
      at = Math.min(there.to - 1, there.from + (at - here.from))
    }
    return at
  }

  const neighbourLine = (line: number, step: number): number | null => {
    let next = line + step
    while (next >= 0 && next < lineCount && lineAt(next).kind === 'heading') next += step
    return next >= 0 && next < lineCount ? next : null
  }

  const clamp = (index: number) => Math.min(count - 1, Math.max(0, index))

  const move = (index: number, motion: Motion, pageLines: number): number => {
    const moves: Record<Motion, () => number> = {
      left: () => clamp(index - 1),
      right: () => clamp(index + 1),
      up: () => vertical(index, -1),
      down: () => vertical(index, 1),
      pageUp: () => vertical(index, -pageLines),
      pageDown: () => vertical(index, pageLines),
      home: () => 0,
      end: () => count - 1,
    }
    return moves[motion]()
  }

  return { lineCount, firstFileLine, lineAt, lineOf, move }
}

/** How many columns of at least `minWidth` fit, with gaps between them. */
export function columnsIn(width: number, minWidth: number, gap: number): number {
  return Math.max(1, Math.floor((width + gap) / (minWidth + gap)))
}

/** How many of the first rows are folders, given that folders come first. */
export function countLeading(count: number, isFolder: (index: number) => boolean): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >> 1
    if (isFolder(middle)) low = middle + 1
    else high = middle
  }
  return low
}

export type LineHeights = Record<GridLine['kind'], number>

/** Pixels from the top of the grid to a line. */
export function topOfLine(layout: GridLayout, heights: LineHeights, line: number): number {
  const { firstFileLine } = layout
  if (firstFileLine === 0) return line * heights.files
  const headings = line >= firstFileLine && layout.lineAt(firstFileLine - 1).kind === 'heading' ? 2 : Math.min(line, 1)
  const files = Math.max(0, line - firstFileLine)
  return headings * heights.heading + (line - files - headings) * heights.folders + files * heights.files
}

/** The line that covers this many pixels from the top. */
export function lineAtTop(layout: GridLayout, heights: LineHeights, top: number): number {
  let low = 0
  let high = Math.max(0, layout.lineCount - 1)
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (topOfLine(layout, heights, middle) <= top) low = middle
    else high = middle - 1
  }
  return low
}
