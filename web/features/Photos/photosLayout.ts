import type { GridLayout, GridLine, Motion } from '../../lib/gridLayout.ts'
import type { Lines } from '../../lib/useLines.ts'

/** A photo, as the layout needs it. `day` is `2026-11-08`; photos of one day follow each other. */
export type Placed = { readonly ratio: number; readonly day: string }

export type PhotoLine = GridLine & {
  /** Pixels from the top of the content. */
  readonly top: number
  /** Of the photos; of a heading, everything. */
  readonly height: number
  /** Left edge and width of each photo in pixels; empty for headings. */
  readonly places: readonly { readonly left: number; readonly width: number }[]
}

export type PhotosLayout = { readonly grid: GridLayout; readonly lines: Lines; readonly all: readonly PhotoLine[] }

type Shape = {
  readonly width: number
  /** The height that rows come near to. */
  readonly rowHeight: number
  readonly gap: number
  readonly heading: number
}

/** Very wide and very high pictures are shown whole within this. */
const MIN_RATIO = 0.45
const MAX_RATIO = 3.2

/**
 * Days of justified rows: each row fills the width with whole pictures, and its height follows from them. The last row of a day keeps
 * its height instead.
 */
export function photosLayout(photos: readonly Placed[], shape: Shape): PhotosLayout {
  const all: PhotoLine[] = []
  const lineOf = new Int32Array(photos.length)
  let top = 0
  for (let from = 0; from < photos.length; ) {
    const to = endOfDay(photos, from)
    all.push({ kind: 'heading', from, to, top, height: shape.heading, places: [] })
    top += shape.heading
    for (let at = from; at < to; ) {
      const row = nextRow(photos, at, to, shape)
      for (let index = at; index < row.to; index += 1) lineOf[index] = all.length
      all.push({ kind: 'files', from: at, top, ...row })
      top += row.height + shape.gap
      at = row.to
    }
    from = to
  }
  const end = top
  const lineAtTop = (wanted: number) => lastAtOrBefore(all, wanted)
  return {
    all,
    lines: { count: all.length, topOf: (line) => all[line]?.top ?? end, lineAt: lineAtTop },
    grid: {
      lineCount: all.length,
      firstFileLine: 0,
      lineAt: (line) => all[line] ?? { kind: 'files', from: 0, to: 0 },
      lineOf: (index) => lineOf[index] ?? 0,
      move: (index, motion) => move(all, lineOf, index, motion),
    },
  }
}

function endOfDay(photos: readonly Placed[], from: number): number {
  const day = photos[from]?.day
  let to = from
  while (to < photos.length && photos[to]?.day === day) to += 1
  return to
}

/** As many photos as come nearest to the wanted height. */
function nextRow(photos: readonly Placed[], from: number, end: number, { width, rowHeight, gap }: Shape) {
  const heightOf = (sum: number, count: number) => (width - (count - 1) * gap) / sum
  let sum = 0
  for (let to = from; to < end; to += 1) {
    const next = sum + ratioOf(photos[to])
    const height = heightOf(next, to - from + 1)
    if (height <= rowHeight) {
      const before = heightOf(sum, to - from)
      const isFuller = to > from && Math.abs(before - rowHeight) < Math.abs(height - rowHeight)
      return placed(photos, from, isFuller ? to : to + 1, isFuller ? before : height, gap)
    }
    sum = next
  }
  return placed(photos, from, end, rowHeight, gap)
}

function placed(photos: readonly Placed[], from: number, to: number, exact: number, gap: number) {
  const height = Math.round(exact)
  let left = 0
  const places = photos.slice(from, to).map((photo) => {
    const width = ratioOf(photo) * exact
    const place = { left: Math.round(left), width: Math.round(left + width) - Math.round(left) }
    left += width + gap
    return place
  })
  return { to, height, places }
}

function ratioOf(photo: Placed | undefined): number {
  return Math.min(MAX_RATIO, Math.max(MIN_RATIO, photo?.ratio ?? 1))
}

function lastAtOrBefore(all: readonly PhotoLine[], top: number): number {
  let low = 0
  let high = Math.max(0, all.length - 1)
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((all[middle]?.top ?? 0) <= top) low = middle
    else high = middle - 1
  }
  return low
}

/** Up and down go to the photo above or below, Page Up and Page Down to the day before or after. */
function move(all: readonly PhotoLine[], lineOf: Int32Array, index: number, motion: Motion): number {
  const last = lineOf.length - 1
  const moves: Record<Motion, () => number> = {
    left: () => Math.max(0, index - 1),
    right: () => Math.min(last, index + 1),
    up: () => vertical(all, lineOf, index, -1),
    down: () => vertical(all, lineOf, index, 1),
    pageUp: () => dayFrom(all, lineOf, index, -1),
    pageDown: () => dayFrom(all, lineOf, index, 1),
    home: () => 0,
    end: () => last,
  }
  return moves[motion]()
}

function vertical(all: readonly PhotoLine[], lineOf: Int32Array, index: number, step: 1 | -1): number {
  const here = lineOf[index] ?? 0
  const row = all[here]
  const place = row?.places[index - row.from]
  const next = neighbour(all, here, step, 'files')
  if (!place || !next) return index
  const centre = place.left + place.width / 2
  const distances = next.places.map(({ left, width }) => Math.abs(left + width / 2 - centre))
  return next.from + distances.indexOf(Math.min(...distances))
}

/** The first photo of the next day; backwards first that of this day. */
function dayFrom(all: readonly PhotoLine[], lineOf: Int32Array, index: number, step: 1 | -1): number {
  const heading = neighbour(all, lineOf[index] ?? 0, step, 'heading')
  if (!heading) return step > 0 ? index : 0
  if (step > 0 || heading.from < index) return heading.from
  return neighbour(all, all.indexOf(heading), -1, 'heading')?.from ?? 0
}

function neighbour(all: readonly PhotoLine[], from: number, step: 1 | -1, kind: GridLine['kind']): PhotoLine | null {
  let at = from + step
  while (at >= 0 && at < all.length && all[at]?.kind !== kind) at += step
  return all[at] ?? null
}
