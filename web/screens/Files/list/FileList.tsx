import { memo, type RefObject, useMemo } from 'react'
import { rangeWith, useLines } from '../../../lib/useLines.ts'
import { useIsMobile } from '../../../lib/useMediaQuery.ts'
import { type FileManager, useFileManager } from '../FilesContext.ts'
import { locationText } from '../messages.ts'
import { has } from '../selection/selection.ts'
import { rowHref } from '../urlState.ts'
import { accountGroup, listLines } from './accountGroup.ts'
import { ColumnHeader } from './ColumnHeader.tsx'
import { FileRow } from './FileRow.tsx'
import { showsLocation } from './filesPage.ts'
import styles from './List.module.css'
import { ListFoot, ListFrame } from './ListFrame.tsx'
import { PlainRow } from './PlainRow.tsx'
import { useFocusRow } from './useFocusRow.ts'
import { useReportRange, useSteadyScroll } from './useViewport.ts'

/** The list view: as many rows as fit the screen, however many there are. */
export function FileList({ scroller }: { scroller: RefObject<HTMLDivElement | null> }) {
  const manager = useFileManager()
  const { list } = manager
  const { count } = list.model
  const isNarrow = useIsMobile()
  const hasLocation = showsLocation(list.key)
  const rowHeight = isNarrow || hasLocation ? 56 : 40
  const group = accountGroup(manager)
  const first = group?.first
  const end = group?.end
  const lines = useMemo(
    () => listLines(count, rowHeight, first === undefined || end === undefined ? null : { first, end }),
    [count, rowHeight, first, end],
  )
  const { shown, isRushing, scrollTo } = useLines(scroller, lines)
  useReportRange(list, shown.first, shown.last)
  useSteadyScroll(list, scroller, lines)
  useFocusRow(manager, scroller, scrollTo)
  const tabStop = tabStopOf(manager, shown.first, shown.last)
  const renaming = renamingIn(manager)

  return (
    <ListFrame scroller={scroller} header={<ColumnHeader />}>
      <div role="none" style={{ height: lines.topOf(count) }}>
        {lines.headings.map(({ text, top }) => (
          <div
            key={text}
            role="none"
            className={`${styles.at} ${styles.listHead}`}
            style={{ transform: `translateY(${top}px)` }}
          >
            {text}
          </div>
        ))}
        {rangeWith(shown, renaming).map((index) => {
          const id = list.model.rowAt(index)?.id
          const isPlain = index !== tabStop && index !== renaming && !(id && has(manager.selection, id))
          const isGlance = isRushing && !isNarrow && isPlain
          // During fast scrolling, rows reuse the elements in their place: only texts change.
          const key = isGlance || !id ? index - shown.first : id
          return (
            <Row key={key} top={lines.topOf(index)} isTabStop={index === tabStop} {...{ index, isNarrow, isGlance }} />
          )
        })}
      </div>
      <ListFoot />
    </ListFrame>
  )
}

/** The index of the row that Tab reaches: the one in focus while it is drawn, else the first. */
export function tabStopOf({ list, selection }: FileManager, first: number, last: number): number {
  const focus = selection.focus === null ? -1 : list.model.indexOf(selection.focus)
  return focus >= first && focus <= last ? focus : first
}

/** The index of the row whose name is a field: it stays drawn, so that nothing typed is lost. -1: none. */
export function renamingIn({ list, panels }: FileManager): number {
  return panels.renaming === null ? -1 : list.model.indexOf(panels.renaming)
}

type RowProps = {
  index: number
  top: number
  isNarrow: boolean
  isGlance: boolean
  isTabStop: boolean
}

/** While the list is scrolled, only rows that come are drawn: what else changes is in the context. */
const Row = memo(function Row({ index, top, isNarrow, isGlance, isTabStop }: RowProps) {
  const { list, selection, panels, view, roots } = useFileManager()
  const row = list.model.rowAt(index)
  if (!row) return null
  const location = row.path ? locationText(row.path) : null
  if (isGlance || !list.isHeld(list.model.pageAt(index)))
    return <PlainRow row={row} index={index} top={top} location={location} />
  return (
    <FileRow
      file={row}
      id={row.id}
      index={index}
      top={top}
      href={rowHref(row, view)}
      isSelected={has(selection, row.id)}
      isFocused={isTabStop}
      isCut={panels.cut.includes(row.id)}
      isRenaming={panels.renaming === row.id}
      isNarrow={isNarrow}
      isShared={view === 'SHARED'}
      location={location}
      root={roots.get(row.id) ?? null}
      isSelecting={isNarrow && selection.ids.size > 0}
    />
  )
})
