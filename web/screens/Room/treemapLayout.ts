/** Pixels from the top left corner of the treemap. */
export type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number }

/**
 * A squarified treemap (Bruls, Huizing, van Wijk 2000): boxes as square as possible, whose areas are in proportion to the weights and
 * which fill the whole area without overlaps. Each weight is positive; they are in descending order, and so are the boxes.
 */
export function layOut(weights: readonly number[], area: Box): Box[] {
  const sum = weights.reduce((total, weight) => total + weight, 0)
  if (sum <= 0) return []
  const scale = (area.width * area.height) / sum
  const boxes: Box[] = []
  let free = area
  let row: number[] = []
  for (const weight of weights) {
    const next = weight * scale
    const side = Math.min(free.width, free.height)
    if (row.length > 0 && worst([...row, next], side) > worst(row, side)) {
      free = placeRow(row, free, boxes)
      row = []
    }
    row.push(next)
  }
  placeRow(row, free, boxes)
  return boxes
}

/** The least square ratio of sides in a row of these areas along a side; 1 is a square. */
function worst(row: readonly number[], side: number): number {
  const sum = row.reduce((total, area) => total + area, 0)
  const square = (sum / side) ** 2
  return Math.max(Math.max(...row) / square, square / Math.min(...row))
}

/** Puts a row along the shorter side of the free area. @returns what is left of it */
function placeRow(row: readonly number[], free: Box, boxes: Box[]): Box {
  const sum = row.reduce((total, area) => total + area, 0)
  const isColumn = free.width >= free.height
  const side = isColumn ? free.height : free.width
  const thickness = side > 0 ? sum / side : 0
  let at = 0
  for (const area of row) {
    const length = thickness > 0 ? area / thickness : 0
    boxes.push(
      isColumn
        ? { x: free.x, y: free.y + at, width: thickness, height: length }
        : { x: free.x + at, y: free.y, width: length, height: thickness },
    )
    at += length
  }
  return isColumn
    ? { ...free, x: free.x + thickness, width: Math.max(0, free.width - thickness) }
    : { ...free, y: free.y + thickness, height: Math.max(0, free.height - thickness) }
}

export type Weighted = { readonly bytes: number }

/** An item of a treemap and its box; `rest` stands for all that are not shown on their own. */
export type Tile<Item> = { readonly box: Box; readonly bytes: number; readonly item: Item | null }

/** A box is shown on its own from this area on (square pixels): below, it could neither be hit nor read. */
const LEAST_AREA = 24 * 24

/**
 * The largest items that are large enough to be shown, and one box for the rest.
 * @param items in descending order; those without bytes are left out
 * @param restBytes what is not among the items
 */
export function tilesOf<Item extends Weighted>(items: readonly Item[], restBytes: number, area: Box): Tile<Item>[] {
  const sized = items.filter(({ bytes }) => bytes > 0)
  const total = sized.reduce((sum, { bytes }) => sum + bytes, restBytes)
  if (total <= 0 || area.width <= 0 || area.height <= 0) return []
  const least = (LEAST_AREA / (area.width * area.height)) * total
  // Alone, a small one is as large as the rest would be.
  const shown = sized.filter(({ bytes }, index) => bytes >= least || (index === sized.length - 1 && index === 0))
  const rest = total - shown.reduce((sum, { bytes }) => sum + bytes, 0)
  const drawn: { bytes: number; item: Item | null }[] = shown.map((item) => ({ bytes: item.bytes, item }))
  if (rest > 0) drawn.push({ bytes: rest, item: null })
  // The layout needs a descending order; the rest can be the largest.
  const ordered = drawn.toSorted((a, b) => b.bytes - a.bytes)
  const boxes = layOut(
    ordered.map(({ bytes }) => bytes),
    area,
  )
  const places = new Map(ordered.map((one, index) => [one, boxes[index]]))
  return drawn.flatMap((one) => {
    const box = places.get(one)
    return box ? [{ ...one, box }] : []
  })
}

/** `back` is where a line begins, also in a language that is written from right to left. */
export type Direction = 'back' | 'forth' | 'up' | 'down'

/** How much farther a box counts that is not straight ahead. */
const ASIDE = 50

/** The index of the nearest box in a direction from one of them: straight ahead before aside; null at the edge. */
export function neighbour(boxes: readonly Box[], from: number, direction: Direction): number | null {
  const start = boxes[from]
  if (!start) return null
  const isAcross = direction === 'back' || direction === 'forth'
  const isBack = direction === 'back' || direction === 'up'
  const here = sidesOf(start, isAcross)
  let best: { index: number; distance: number } | null = null
  for (const [index, box] of boxes.entries()) {
    const there = sidesOf(box, isAcross)
    const gap = isBack ? here.from - there.to : there.from - here.to
    if (index === from || gap < -1) continue
    const overlap = Math.min(here.end, there.end) - Math.max(here.begin, there.begin)
    // Of several straight ahead, the one that begins next to this one.
    const distance = gap + (overlap > 0 ? 0 : ASIDE - overlap * 10) + Math.abs(there.begin - here.begin) / 100
    if (!best || distance < best.distance) best = { index, distance }
  }
  return best?.index ?? null
}

/** A box along a direction (`from`, `to`) and across it (`begin`, `end`). */
function sidesOf({ x, y, width, height }: Box, isAcross: boolean) {
  return isAcross
    ? { from: x, to: x + width, begin: y, end: y + height }
    : { from: y, to: y + height, begin: x, end: x + width }
}
