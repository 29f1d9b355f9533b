import type { ReactNode, RefObject } from 'react'
import { cx } from '../../lib/cx.ts'
import { nameText } from '../../lib/nameText.ts'
import { useFileManager } from './FilesContext.ts'
import { NewFolderRow } from './NewFolderRow.tsx'
import { isEmpty } from './selection.ts'
import { useRowEvents } from './useRowEvents.ts'
import { useRubberBand } from './useRubberBand.ts'
import { VIEW_NAMES } from './words.ts'

type Props = {
  scroller: RefObject<HTMLDivElement | null>
  /** The column headings, where there are columns. */
  header?: ReactNode
  className?: string
  children: ReactNode
}

/** What list and grid have in common: the scrolling box, its role, pointers on rows, and the selection by a box. */
export function ListFrame({ scroller, header, className, children }: Props) {
  const manager = useFileManager()
  const { list, view, folder, selection } = manager
  const events = useRowEvents(manager)
  const { band, handlers } = useRubberBand(manager, scroller)
  const hasBar = !isEmpty(selection)
  return (
    <div
      className="filegrid"
      role="grid"
      aria-label={folder ? nameText(folder.name) : VIEW_NAMES[view]}
      aria-multiselectable
      aria-rowcount={list.model.hasNext ? -1 : list.model.count + 1}
      aria-busy={list.status === 'loading'}
      {...events}
    >
      {header}
      <NewFolderRow />
      <div
        ref={scroller}
        className={cx('list scroll', className, hasBar && 'has-bar')}
        role="rowgroup"
        tabIndex={-1}
        {...handlers}
      >
        {children}
        {band && <div className="band" style={band} role="none" />}
      </div>
    </div>
  )
}
