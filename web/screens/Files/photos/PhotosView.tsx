import { Images } from 'lucide-react'
import { memo, type RefObject, useCallback, useEffect, useMemo, useRef } from 'react'
import { Day, PlaceholderRows } from '../../../features/Photos/Day.tsx'
import { messages } from '../../../features/Photos/messages.ts'
import styles from '../../../features/Photos/Photos.module.css'
import { firstOfMonth, timeOf } from '../../../features/Photos/photoDates.ts'
import type { PhotoLine, PhotosLayout } from '../../../features/Photos/photosLayout.ts'
import { Scale } from '../../../features/Photos/Scale.tsx'
import { MOST_LINES, usePhotosLayout } from '../../../features/Photos/usePhotosLayout.ts'
import type { GridLayout } from '../../../lib/gridLayout.ts'
import { range, useLines } from '../../../lib/useLines.ts'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { useFileManager } from '../FilesContext.ts'
import { tabStopOf } from '../list/FileList.tsx'
import type { FileListStore } from '../list/fileListStore.ts'
import listStyles from '../list/List.module.css'
import { ListFoot, ListFrame } from '../list/ListFrame.tsx'
import { useFocusRow } from '../list/useFocusRow.ts'
import { useReportRange, useSteadyScroll } from '../list/useViewport.ts'
import { has } from '../selection/selection.ts'
import { rowHref } from '../urlState.ts'
import { PhotoTile } from './PhotoTile.tsx'
import type { PhotoRow } from './photosPage.ts'
import { usePhotoMonths } from './usePhotoMonths.ts'

/** After the last picture: then the list is read again, which has their dates and sizes. */
const QUIET_MS = 1_000

type Props = {
  scroller: RefObject<HTMLDivElement | null>
  /** Receives the layout, for the arrow keys. */
  onLayout: (layout: GridLayout) => void
}

/** Photos and videos by day, newest first, in rows that fill the width. */
export function PhotosView({ scroller, onLayout }: Props) {
  const manager = useFileManager()
  const { list } = manager
  const content = useRef<HTMLDivElement>(null)
  const layout = usePhotosLayout(content, usePhotos(list))
  const { grid, lines, all } = layout
  useEffect(() => onLayout(grid), [grid, onLayout])
  const { shown, pending, scrollTo } = useLines(scroller, lines, MOST_LINES)
  const first = all[shown.first]?.from ?? 0
  const last = Math.max(first, (all[Math.max(0, shown.last)]?.to ?? 1) - 1)
  useReportRange(list, first, last)
  useSteadyScroll(
    list,
    scroller,
    useMemo(() => placeOf(layout), [layout]),
  )
  useFocusRow(manager, scroller, (index) => scrollTo(grid.lineOf(index)))
  const onNewFacts = useNewFacts(list)
  const months = usePhotoMonths(list)
  const tabStop = tabStopOf(manager, first, last)
  const goToMonth = useGoToMonth(list, scroller, layout)

  return (
    <div className={styles.view}>
      <ListFrame scroller={scroller} className={styles.scroll}>
        <div ref={content} role="none" style={{ height: lines.topOf(lines.count), position: 'relative' }}>
          {range(shown).map((index) => {
            const line = all[index]
            if (!line) return null
            return line.kind === 'heading' ? (
              <DayOf key={`day ${line.from}`} line={line} list={list} />
            ) : (
              <Row
                key={line.from}
                number={index}
                tabStop={tabStop >= line.from && tabStop < line.to ? tabStop : null}
                {...{ line, onNewFacts }}
              />
            )
          })}
          <PlaceholderRows lines={pending} all={all} />
        </div>
        <ListFoot />
      </ListFrame>
      <Scale months={months} current={monthAt(list, scroller, layout)} onMonth={goToMonth} />
    </div>
  )
}

/** A line is another object when its photos have changed. */
const DayOf = memo(function DayOf({ line, list }: { line: PhotoLine; list: FileListStore }) {
  return <Day line={line} photos={photosIn(list, line.from, line.to)} />
})

type RowProps = { number: number; line: PhotoLine; tabStop: number | null; onNewFacts: () => void }

/** While the list is scrolled, only rows that come are drawn: what else changes is in the context. */
const Row = memo(function Row({ number, line, tabStop, onNewFacts }: RowProps) {
  const { list, selection, panels, view } = useFileManager()
  return (
    <div
      role="row"
      data-line="files"
      aria-rowindex={number + 1}
      className={listStyles.at}
      style={{ transform: `translateY(${line.top}px)`, height: line.height }}
    >
      {photosIn(list, line.from, line.to).map((row, column) => {
        const place = line.places[column]
        return (
          place && (
            <PhotoTile
              key={row.id}
              {...{ row, column, ...place, height: line.height, onNewFacts }}
              href={rowHref(row, view)}
              isSelected={has(selection, row.id)}
              isFocused={tabStop === line.from + column}
              isCut={panels.cut.includes(row.id)}
            />
          )
        )
      })}
    </div>
  )
})

function photosIn(list: FileListStore, from: number, to: number): PhotoRow[] {
  return Array.from(
    { length: to - from },
    (_, offset) => list.model.rowAt(from + offset) as PhotoRow | undefined,
  ).filter((row) => row !== undefined)
}

/** All that are known; another array when they have changed. */
function usePhotos(list: FileListStore): PhotoRow[] {
  const { count, version } = list.model
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the rows
  return useMemo(() => photosIn(list, 0, count), [list, version, count])
}

/** For keeping the first visible photo where it is. */
function placeOf({ grid, lines, all }: PhotosLayout) {
  return {
    topOf: (index: number) => lines.topOf(grid.lineOf(index)),
    lineAt: (top: number) => all[lines.lineAt(top)]?.from ?? 0,
  }
}

/** `2026-11`: the month of the first visible photo. */
function monthAt(list: FileListStore, scroller: RefObject<HTMLElement | null>, { lines, all }: PhotosLayout): string {
  const index = all[lines.lineAt((scroller.current?.scrollTop ?? 0) + 1)]?.from ?? 0
  const row = list.model.rowAt(index) as PhotoRow | undefined
  return row ? timeOf(row).slice(0, 7) : ''
}

/** Scrolls to the newest photo of a month; what is before it is loaded first. Another jump cancels it. */
function useGoToMonth(list: FileListStore, scroller: RefObject<HTMLElement | null>, layout: PhotosLayout) {
  const latest = useRef(layout)
  latest.current = layout
  return useCallback(
    (month: string, index: number) => {
      const jump = { month }
      list.jump = jump
      const go = () => {
        const { grid, lines } = latest.current
        const at = firstOfMonth(list.model.count, (index) => timeOf(list.model.rowAt(index) as PhotoRow), month)
        if (scroller.current && list.jump === jump) scroller.current.scrollTop = lines.topOf(grid.lineOf(at) - 1)
      }
      if (list.model.count > index || !list.model.hasNext) return go()
      // The layout of what was loaded is drawn with the next frame.
      void list.loadAll(index + 1).then(() => requestAnimationFrame(go))
    },
    [list, scroller],
  )
}

/** Reads the list again once pictures have arrived whose dates and sizes were unknown. */
function useNewFacts(list: FileListStore): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return useCallback(() => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => list.refresh(), QUIET_MS)
  }, [list])
}

/** Nothing to show, although the place may hold other files. */
export function NoPhotos() {
  const { setLayout } = useFileManager()
  return (
    <EmptyState icon={Images} title={messages.emptyTitle} text={messages.emptyText}>
      <Button onClick={() => setLayout('list')}>{messages.backToList}</Button>
    </EmptyState>
  )
}
