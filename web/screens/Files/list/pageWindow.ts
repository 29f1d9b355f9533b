import type { Keyed, ListModel, ListPage } from './listModel.ts'

/** Rows of the first response: small, so that rows appear soon. */
export const PAGE_SIZE = 100
/** Rows of every further answer, as many as the server gives; in a range read again, room for what was put in since. */
export const MORE_SIZE = 200

const PAGES_AHEAD = 3
const MOST_PAGES_AHEAD = 12
const PAGES_KEPT = 12
const PAGES_NEAR = 2

export type VisibleRange = {
  readonly first: number
  readonly last: number
  /** Rows per second; negative is upwards. */
  readonly velocity: number
}

/**
 * How many rows after the last visible one should be loaded: a second and a half of the way, and three pages at least.
 */
export function rowsAhead(velocity: number): number {
  const coming = Math.ceil((Math.max(0, velocity) * 1.5) / PAGE_SIZE)
  return Math.min(MOST_PAGES_AHEAD, Math.max(PAGES_AHEAD, coming)) * PAGE_SIZE
}

export function needsNext<Row extends Keyed>(model: ListModel<Row>, range: VisibleRange): boolean {
  return model.hasNext && model.count - range.last <= rowsAhead(range.velocity)
}

/** The pages whose data may stay in the store: those that are seen, and many on both sides. */
export function pagesToKeep<Row extends Keyed>(model: ListModel<Row>, range: VisibleRange): ListPage<Row>[] {
  return pagesAround(model, range, PAGES_KEPT)
}

/** The pages whose data are read again when they are gone: those that are seen or soon will be. */
export function pagesNear<Row extends Keyed>(model: ListModel<Row>, range: VisibleRange): ListPage<Row>[] {
  return pagesAround(model, range, PAGES_NEAR)
}

export function pagesInSight<Row extends Keyed>(model: ListModel<Row>, range: VisibleRange): ListPage<Row>[] {
  return pagesAround(model, range, 0)
}

function pagesAround<Row extends Keyed>(
  model: ListModel<Row>,
  { first, last }: VisibleRange,
  more: number,
): ListPage<Row>[] {
  const { pages } = model
  let from = model.pageNumber(first)
  let to = model.pageNumber(last)
  // Rows put into an empty page would be next to the visible ones.
  while (pages[from - 1]?.rows.length === 0) from -= 1
  while (pages[to + 1]?.rows.length === 0) to += 1
  return pages.slice(Math.max(0, from - more), to + more + 1)
}
