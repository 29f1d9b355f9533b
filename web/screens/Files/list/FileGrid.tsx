import { type CSSProperties, memo, type RefObject, useEffect, useMemo, useState } from 'react'
import {
  columnsIn,
  countLeading,
  type GridLayout,
  type GridLine,
  gridLayout,
  type LineHeights,
  lineAtTop,
  topOfLine,
} from '../../../lib/gridLayout.ts'
import { useFileEndings } from '../../../lib/listChoices.ts'
import { nameText } from '../../../lib/nameText.ts'
import { rangeWith, useLines } from '../../../lib/useLines.ts'
import { useIsMobile } from '../../../lib/useMediaQuery.ts'
import { type FileManager, useFileManager } from '../FilesContext.ts'
import { locationText } from '../messages.ts'
import { has } from '../selection/selection.ts'
import { rowHref } from '../urlState.ts'
import { renamingIn, tabStopOf } from './FileList.tsx'
import { FileTile } from './FileTile.tsx'
import styles from './List.module.css'
import { ListFoot, ListFrame } from './ListFrame.tsx'
import { useFocusRow } from './useFocusRow.ts'
import { useReportRange, useSteadyScroll } from './useViewport.ts'

const HEADING = 40
/** Under the picture: the name in two lines, the size, and the gap to the next line. */
const CAPTION = 84
/** How many tiles one frame may add: drawing a whole screen of them at once would block the page. */
const MOST_TILES = 12

type Props = {
  scroller: RefObject<HTMLDivElement | null>
  /** Receives the layout, for the arrow keys. */
  onLayout: (layout: GridLayout) => void
}

/** The grid view: tiles with a picture; folders first, where the order allows it, with what is in them. */
export function FileGrid({ scroller, onLayout }: Props) {
  const manager = useFileManager()
  const { list } = manager
  const width = useWidth(scroller)
  const { layout, columns, heights, tile } = useGrid(manager, width)
  useEffect(() => onLayout(layout), [layout, onLayout])
  const { lines, place } = useMemo(() => linesOf(layout, heights), [layout, heights])
  const { shown, pending, scrollTo } = useLines(scroller, lines, Math.max(1, Math.floor(MOST_TILES / columns)))
  const [areEndingsShown] = useFileEndings()
  const first = layout.lineAt(shown.first).from
  const last = Math.max(first, layout.lineAt(Math.max(0, shown.last)).to - 1)
  useReportRange(list, first, last)
  useSteadyScroll(list, scroller, place)
  useFocusRow(manager, scroller, (index) => scrollTo(layout.lineOf(index)))
  const tabStop = tabStopOf(manager, first, last)
  const renaming = renamingIn(manager)
  const kept = renaming < 0 ? -1 : layout.lineOf(renaming)

  return (
    <ListFrame scroller={scroller} className={styles.gridView}>
      <div role="none" style={{ height: lines.topOf(lines.count), position: 'relative' }}>
        {rangeWith(shown, kept).map((index) => {
          const line = layout.lineAt(index)
          return (
            <Line
              key={index}
              number={index}
              top={lines.topOf(index)}
              {...line}
              {...{ height: tile.lineHeight, columns, areEndingsShown }}
              tabStop={tabStop >= line.from && tabStop < line.to ? tabStop : null}
            />
          )
        })}
        {pending.map((index) => (
          <Placeholder key={`placeholder ${index}`} top={lines.topOf(index)} line={layout.lineAt(index)} {...tile} />
        ))}
      </div>
      <ListFoot />
    </ListFrame>
  )
}

type PlaceholderProps = { line: GridLine; top: number; picture: number; width: number; gap: number }

/** In place of a line that is drawn in one of the next frames. */
function Placeholder({ line: { kind, from, to }, top, picture, width, gap }: PlaceholderProps) {
  if (kind === 'heading') return null
  const style = {
    transform: `translateY(${top}px)`,
    width: (to - from) * (width + gap) - gap,
    height: picture,
    '--tile': `${width}px`,
    '--gap': `${gap}px`,
  } as CSSProperties
  return <div role="none" data-placeholder className={`${styles.at} ${styles.placeholder}`} style={style} />
}

type LineProps = GridLine & {
  number: number
  top: number
  height: number
  columns: number
  areEndingsShown: boolean
  tabStop: number | null
}

/** While the grid is scrolled, only lines that come are drawn: what else changes is in the context. */
const Line = memo(function Line({ number, top, height, kind, from, to, columns, areEndingsShown, tabStop }: LineProps) {
  const { list, selection, panels, view, roots } = useFileManager()
  const style = { transform: `translateY(${top}px)` }
  if (kind === 'heading') {
    return (
      <div role="none" className={`${styles.at} ${styles.gridHead} h-micro`} style={style}>
        {from === 0 ? 'Folders' : 'Files'}
      </div>
    )
  }
  const rows = Array.from({ length: to - from }, (_, offset) => list.model.rowAt(from + offset))
  return (
    <div
      role="row"
      data-line={kind}
      aria-rowindex={number + 1}
      className={`${styles.at} ${styles.gridLine}`}
      style={{ ...style, height, gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
    >
      {rows.map(
        (row, column) =>
          row &&
          (list.isHeld(list.model.pageAt(from + column)) ? (
            <FileTile
              key={row.id}
              file={row}
              id={row.id}
              index={from + column}
              column={column}
              readAt={list.readAt}
              areEndingsShown={areEndingsShown}
              href={rowHref(row, view)}
              isSelected={has(selection, row.id)}
              isFocused={tabStop === from + column}
              isCut={panels.cut.includes(row.id)}
              isRenaming={panels.renaming === row.id}
              location={row.path ? locationText(row.path) : null}
              root={roots.get(row.id) ?? null}
            />
          ) : (
            <div key={row.id} role="gridcell" className={`${styles.tile} ell`}>
              {nameText(row.name)}
            </div>
          )),
      )}
    </div>
  )
})

function useGrid({ list, view, url }: FileManager, width: number) {
  const isMobile = useIsMobile()
  const gap = isMobile ? 12 : 16
  const files = isMobile ? 2 : columnsIn(width, 192, gap)
  const { count, version } = list.model
  // Only the plain folder view is sorted with folders first; elsewhere they stand among the files.
  const isSplit = view === 'DRIVE' && url.query === '' && list.key.foldersFirst
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the rows
  return useMemo(() => {
    const leading = isSplit ? countLeading(count, (index) => list.model.rowAt(index)?.kind === 'FOLDER') : 0
    const tileWidth = (width - (files - 1) * gap) / files
    const picture = Math.round(tileWidth * 0.75)
    const height = picture + CAPTION
    return {
      layout: gridLayout({ count, folders: leading, folderColumns: files, fileColumns: files }),
      columns: files,
      tile: { width: tileWidth, picture, gap, lineHeight: height },
      heights: { heading: HEADING, folders: height, files: height },
    }
  }, [list, version, count, width, files, gap, isSplit])
}

/** The grid's lines, and the place of each row among them. */
function linesOf(layout: GridLayout, heights: LineHeights) {
  const topOf = (line: number) => topOfLine(layout, heights, line)
  const lineAt = (top: number) => lineAtTop(layout, heights, top)
  return {
    lines: { count: layout.lineCount, topOf, lineAt },
    place: {
      topOf: (index: number) => topOf(layout.lineOf(index)),
      lineAt: (top: number) => layout.lineAt(lineAt(top)).from,
    },
  }
}

/** The width inside the padding, followed. */
function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(960)
  useEffect(() => {
    const target = element.current
    if (!target) return
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width))
    observer.observe(target)
    return () => observer.disconnect()
  }, [element])
  return width
}
