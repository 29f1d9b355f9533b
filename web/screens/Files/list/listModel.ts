/**
 * A list of any length, held as pages of key ranges. A page is everything after `after` up to and with `until`, so that
 * it can be read again by itself, whatever was put in or taken out meanwhile. Finding a row by index or by id costs the
 * logarithm of the number of pages; nothing here walks all rows.
 */
export type Keyed = { readonly id: string }

export type ListPage<Row extends Keyed> = {
  /** Null: the list's beginning. */
  readonly after: string | null
  /** Null: the list's end. */
  until: string | null
  /** Everything the server sent; `rows` is what of it is shown. */
  all: readonly Row[]
  rows: readonly Row[]
  /** Index of the first shown row in the whole list. */
  start: number
}

/** What the server answered for a range. */
export type RangeAnswer<Row extends Keyed> = {
  readonly rows: readonly Row[]
  readonly endCursor: string | null
  readonly hasNext: boolean
}

export class ListModel<Row extends Keyed> {
  readonly pages: ListPage<Row>[] = []
  /** How many rows are loaded and shown. */
  count = 0
  /** Grows with every change: what React compares. */
  version = 0
  private readonly home = new Map<string, ListPage<Row>>()
  private readonly hidden = new Set<string>()
  private watched: { readonly id: string; place: number; isRemoved: boolean } | null = null
  private readonly listeners = new Set<() => void>()

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  getVersion = (): number => this.version

  /** Notifies subscribers of a change. */
  notify(): void {
    this.version += 1
    for (const listener of this.listeners) listener()
  }

  /** Remembers the index of this row, so that `lost` can return it once the row has left. */
  watch(id: string | null): void {
    if (id === (this.watched?.id ?? null)) return
    this.watched = id === null ? null : { id, place: this.indexOf(id), isRemoved: false }
  }

  /**
   * The index at which the watched row stood, which is now that of the row after it; null while it is here, or never
   * was. `isCertain` is false when an answer of the server merely left it out: it may be part of the next one.
   */
  get lost(): { readonly place: number; readonly isCertain: boolean } | null {
    const { watched } = this
    if (!watched || watched.place < 0 || this.indexOf(watched.id) >= 0) return null
    return { place: watched.place, isCertain: watched.isRemoved || this.hidden.has(watched.id) }
  }

  /** Whether rows are left on the server after the last page; true while nothing is loaded. */
  get hasNext(): boolean {
    const last = this.pages.at(-1)
    return last === undefined || last.until !== null
  }

  /** Where the next page begins. */
  get nextAfter(): string | null {
    return this.pages.at(-1)?.until ?? null
  }

  append(answer: RangeAnswer<Row>): void {
    const page: ListPage<Row> = { after: this.nextAfter, until: null, all: [], rows: [], start: this.count }
    this.pages.push(page)
    this.fill(page, answer, null)
    this.changed()
  }

  /**
   * Replaces a page by a new response. When more rows stand in the range than one answer holds, the page ends
   * where the answer ends, and a page for the rest, still empty, follows it and is returned: read it next.
   */
  replace(page: ListPage<Row>, answer: RangeAnswer<Row>): ListPage<Row> | null {
    const index = this.pages.indexOf(page)
    if (index < 0) return null
    const oldUntil = page.until
    this.fill(page, answer, oldUntil)
    const isCut = answer.hasNext && oldUntil !== null && page.until !== oldUntil
    const rest: ListPage<Row> | null = isCut
      ? { after: page.until, until: oldUntil, all: [], rows: [], start: 0 }
      : null
    if (rest) this.pages.splice(index + 1, 0, rest)
    this.changed()
    return rest
  }

  rowAt(index: number): Row | undefined {
    const page = this.pageAt(index)
    return page?.rows[index - page.start]
  }

  /** The page that holds the row of this index. */
  pageAt(index: number): ListPage<Row> | undefined {
    if (index < 0 || index >= this.count) return undefined
    return this.pages[this.pageNumber(index)]
  }

  /** Position among the pages of the page with this row; the last page for an index past the end. */
  pageNumber(index: number): number {
    let low = 0
    let high = this.pages.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.pages[middle]?.start ?? 0) <= index) low = middle
      else high = middle - 1
    }
    return low
  }

  /** -1 when it is not loaded, or hidden. */
  indexOf(id: string): number {
    const page = this.home.get(id)
    const offset = page ? page.rows.findIndex((row) => row.id === id) : -1
    return page && offset >= 0 ? page.start + offset : -1
  }

  get(id: string): Row | undefined {
    return this.home.get(id)?.all.find((row) => row.id === id)
  }

  /** The ids from one index to another, both included, in either order. */
  idsBetween(from: number, to: number): string[] {
    const out: string[] = []
    const last = Math.min(Math.max(from, to), this.count - 1)
    for (let index = Math.max(0, Math.min(from, to)); index <= last; ) {
      const page = this.pageAt(index)
      if (!page) break
      const part = page.rows.slice(index - page.start, last - page.start + 1)
      for (const row of part) out.push(row.id)
      index = page.start + page.rows.length
    }
    return out
  }

  /** Whether an action has hidden the row. */
  isHidden(id: string): boolean {
    return this.hidden.has(id)
  }

  /** Hides rows immediately; `show` restores them at the same place. */
  hide(ids: Iterable<string>): void {
    this.setHidden(ids, true)
  }

  show(ids: Iterable<string>): void {
    this.setHidden(ids, false)
  }

  /** Removes the rows permanently. */
  remove(ids: Iterable<string>): void {
    const touched = new Map<ListPage<Row>, Set<string>>()
    const gone = [...ids]
    // Hidden first: the place of the watched row does not count others that leave with it.
    this.markHidden(gone, true)
    this.renumber()
    for (const id of gone) {
      if (this.watched?.id === id) this.watched.isRemoved = true
      this.hidden.delete(id)
      const page = this.home.get(id)
      if (!page) continue
      this.home.delete(id)
      touched.set(page, (touched.get(page) ?? new Set()).add(id))
    }
    if (touched.size === 0) return
    for (const [page, gone] of touched) {
      page.all = page.all.filter((row) => !gone.has(row.id))
      this.refilter(page)
    }
    this.changed()
  }

  private fill(page: ListPage<Row>, answer: RangeAnswer<Row>, oldUntil: string | null): void {
    for (const row of page.all) if (this.home.get(row.id) === page) this.home.delete(row.id)
    page.all = answer.rows
    page.until = answer.hasNext ? (answer.endCursor ?? oldUntil) : oldUntil
    for (const row of answer.rows) this.claim(row.id, page)
    this.refilter(page)
  }

  /** A row that moved here from another page must not be shown twice. */
  private claim(id: string, page: ListPage<Row>): void {
    const other = this.home.get(id)
    if (other && other !== page) {
      other.all = other.all.filter((row) => row.id !== id)
      this.refilter(other)
    }
    this.home.set(id, page)
  }

  private setHidden(ids: Iterable<string>, isHidden: boolean): void {
    this.markHidden(ids, isHidden)
    this.changed()
  }

  private markHidden(ids: Iterable<string>, isHidden: boolean): void {
    const touched = new Set<ListPage<Row>>()
    for (const id of ids) {
      if (isHidden) this.hidden.add(id)
      else this.hidden.delete(id)
      const page = this.home.get(id)
      if (page) touched.add(page)
    }
    for (const page of touched) this.refilter(page)
  }

  private refilter(page: ListPage<Row>): void {
    page.rows = this.hidden.size === 0 ? page.all : page.all.filter((row) => !this.hidden.has(row.id))
  }

  private changed(): void {
    this.renumber()
    this.notify()
  }

  private renumber(): void {
    let start = 0
    for (const page of this.pages) {
      page.start = start
      start += page.rows.length
    }
    this.count = start
    if (this.watched) this.watched.place = this.placeOf(this.watched.id) ?? this.watched.place
  }

  /** The index of a row, or the one that a hidden row would have; null when it is not loaded. */
  private placeOf(id: string): number | null {
    const page = this.home.get(id)
    const offset = page?.all.findIndex((row) => row.id === id) ?? -1
    if (!page || offset < 0) return null
    return page.start + page.all.slice(0, offset).filter((row) => !this.hidden.has(row.id)).length
  }
}
