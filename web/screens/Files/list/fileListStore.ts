import type { Disposable, IEnvironment } from 'relay-runtime'
import type { ListKey } from '../urlState.ts'
import { type FetchedRange, type FileListRow, fetchRange, type Range } from './filesPage.ts'
import { ListModel, type ListPage } from './listModel.ts'
import {
  MORE_SIZE,
  needsNext,
  PAGE_SIZE,
  pagesInSight,
  pagesNear,
  pagesToKeep,
  type VisibleRange,
} from './pageWindow.ts'

type Page = ListPage<FileListRow>

/** How many pages that changed are read again at the same time. */
const MOST_READ = 6

/**
 * One list and its loading: loads ahead of the viewport, keeps the data of the pages around it in the Relay store,
 * releases the others go, and reads ranges again when something changed. Lives longer than the component that shows
 * it, so that going back finds rows and scroll position as they were.
 */
export class FileListStore {
  readonly model = new ListModel<FileListRow>()
  status: 'loading' | 'ready' | 'failed' = 'loading'
  /** Why the last read failed, while rows that were read before may still be shown. */
  failure: Error | null = null
  /** When the list was last known to be up to date, in Unix ms. */
  readAt: number
  scrollTop = 0
  /** The pending jump to a row that is not loaded yet; cleared by any other navigation. */
  jump: object | null = null
  /** A row whose page is kept wherever the list is scrolled to: its name is being typed. */
  pinned: string | null = null
  /** Only a visible list fetches automatically; the others wait until they are shown again. */
  private isShown = false
  private range: VisibleRange = { first: 0, last: PAGE_SIZE / 2, velocity: 0 }
  private readonly held = new Map<Page, Disposable>()
  private readonly stale = new Set<Page>()
  private readonly reading = new Set<Page>()
  private next: Promise<void> | null = null

  constructor(
    readonly environment: IEnvironment,
    readonly key: ListKey,
    private readonly now: () => number = Date.now,
  ) {
    this.readAt = now()
    void this.loadNext()
  }

  /** Whether the records of this row are in the store. */
  isHeld(page: Page | undefined): boolean {
    return page !== undefined && this.held.has(page)
  }

  /** Reports the visible rows, which decides what is loaded. */
  see(range: VisibleRange): void {
    this.range = range
    this.keepWindow()
    if (this.failure === null && needsNext(this.model, range)) void this.loadNext()
  }

  /** Whether every row of the list is loaded, and none of it may have changed since. */
  get isWhole(): boolean {
    return !this.model.hasNext && this.stale.size === 0 && this.reading.size === 0
  }

  /** Marks the list as visible. @returns a function that marks it as hidden */
  show(): () => void {
    this.isShown = true
    this.keepWindow()
    return () => {
      this.isShown = false
    }
  }

  /** Something changed: visible pages are fetched again now, the others when they become visible. */
  refresh(): void {
    this.readAt = this.now()
    for (const page of this.model.pages) this.stale.add(page)
    this.failure = null
    if (this.model.pages.length === 0) void this.loadNext()
    else this.keepWindow()
  }

  retry(): void {
    this.failure = null
    if (this.model.pages.length === 0) this.status = 'loading'
    this.model.notify()
    if (this.stale.size > 0) this.keepWindow()
    if (needsNext(this.model, this.range)) void this.loadNext()
  }

  /** Loads what is left, at most `limit` rows in all. */
  async loadAll(limit: number): Promise<void> {
    while (this.model.hasNext && this.model.count < limit && this.failure === null) await this.loadNext()
  }

  /** The index of the watched row, once it has certainly left; null while it is present or may come back. */
  get lostPlace(): number | null {
    const { lost } = this.model
    if (!lost) return null
    const isComplete =
      this.reading.size === 0 && !pagesInSight(this.model, this.range).some((page) => this.stale.has(page))
    return lost.isCertain || isComplete ? lost.place : null
  }

  dispose(): void {
    for (const held of this.held.values()) held.dispose()
    this.held.clear()
  }

  private loadNext(): Promise<void> {
    this.next ??= this.readNext().finally(() => {
      this.next = null
      if (this.failure === null && needsNext(this.model, this.range)) void this.loadNext()
    })
    return this.next
  }

  private async readNext(): Promise<void> {
    if (!this.model.hasNext) return
    const after = this.model.nextAfter
    try {
      const first = after === null ? PAGE_SIZE : MORE_SIZE
      const answer = await this.fetch({ after, until: null, first })
      // A range that was read again meanwhile may have moved the end: then this answer is no longer what comes next.
      if (!this.model.hasNext || this.model.nextAfter !== after) return answer.release.dispose()
      this.status = 'ready'
      this.model.append(answer)
      const page = this.model.pages.at(-1)
      if (page) this.hold(page, answer)
    } catch (error) {
      this.fail(error)
    }
  }

  /** The code for photos is loaded with the first of them. */
  private async fetch(range: Range): Promise<FetchedRange> {
    if (this.key.sort.field !== 'TAKEN') return fetchRange(this.environment, this.key, range)
    const { fetchPhotos } = await import('../photos/photosPage.ts')
    return fetchPhotos(this.environment, this.key, range)
  }

  private keepWindow(): void {
    if (!this.isShown || this.failure) return
    const kept = new Set(pagesToKeep(this.model, this.range))
    const pinned = this.pinned === null ? undefined : this.model.pageAt(this.model.indexOf(this.pinned))
    if (pinned) kept.add(pinned)
    for (const [page, held] of this.held) {
      if (kept.has(page)) continue
      held.dispose()
      this.held.delete(page)
    }
    for (const page of pagesNear(this.model, this.range)) if (!this.held.has(page)) void this.reread(page)
    for (const page of pagesInSight(this.model, this.range)) {
      if (this.stale.has(page) && this.reading.size < MOST_READ) void this.reread(page)
    }
  }

  private async reread(page: Page): Promise<void> {
    if (this.reading.has(page)) return
    this.reading.add(page)
    this.stale.delete(page)
    try {
      const range = { after: page.after, until: page.until, first: MORE_SIZE }
      const answer = await this.fetch(range)
      this.failure = null
      const rest = this.model.replace(page, answer)
      this.hold(page, answer)
      if (rest) void this.reread(rest)
    } catch (error) {
      this.stale.add(page)
      this.fail(error)
    } finally {
      this.reading.delete(page)
      // Only now is it certain that rows missing in the responses are gone.
      if (this.model.lost && this.reading.size === 0) this.model.notify()
    }
    // It changed once more while it was being read, or others wait for their turn.
    if (this.failure === null && this.stale.size > 0) this.keepWindow()
  }

  private hold(page: Page, answer: FetchedRange): void {
    this.held.get(page)?.dispose()
    this.held.set(page, answer.release)
    this.model.notify()
  }

  private fail(error: unknown): void {
    this.failure = error instanceof Error ? error : new Error(String(error))
    if (this.model.pages.length === 0) this.status = 'failed'
    this.model.notify()
  }
}
