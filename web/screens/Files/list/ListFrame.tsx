import type { ReactNode, RefObject } from 'react'
import { cx } from '../../../lib/cx.ts'
import { nameText } from '../../../lib/nameText.ts'
import { reasonOf } from '../../../relay/runMutation.ts'
import { Button } from '../../../ui/Button.tsx'
import { useFileManager } from '../FilesContext.ts'
import { items, VIEW_NAMES } from '../messages.ts'
import { isEmpty } from '../selection/selection.ts'
import { useRowEvents } from '../selection/useRowEvents.ts'
import { useRubberBand } from '../selection/useRubberBand.ts'
import styles from './List.module.css'
import { useIsOnline } from './ListStates.tsx'
import { NewFolderRow } from './NewFolderRow.tsx'

type Props = {
  scroller: RefObject<HTMLDivElement | null>
  /** The column headings, where there are columns. */
  header?: ReactNode
  className?: string | undefined
  children: ReactNode
}

/** Shared by list and grid: the scroll container, its role, pointer events on rows, and rubber-band selection. */
export function ListFrame({ scroller, header, className, children }: Props) {
  const manager = useFileManager()
  const { list, view, folder, selection } = manager
  const events = useRowEvents(manager)
  const { band, handlers } = useRubberBand(manager, scroller)
  const hasBar = !isEmpty(selection)
  return (
    <div
      className={styles.grid}
      role="grid"
      data-layout={header ? 'list' : 'grid'}
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
        className={cx(`${styles.list} ${styles.scroll}`, className, hasBar && styles.hasBar)}
        role="rowgroup"
        tabIndex={-1}
        {...handlers}
      >
        {children}
        {band && <div className={styles.band} style={band} role="none" />}
      </div>
    </div>
  )
}

/** Under the last row: how many there are, or why there are no more yet. */
export function ListFoot() {
  const { list } = useFileManager()
  const isOnline = useIsOnline()
  const { hasNext } = list.model
  // Offline, the notice above the list says it all, and the list loads by itself later.
  if (!isOnline && hasNext) return <div className={styles.foot}>The rest is loaded when you are back online.</div>
  if (isOnline && list.failure) {
    return (
      <div className={`${styles.foot} hstack`} role="none">
        <span className="t-danger">
          {hasNext ? 'Could not load more.' : 'The list may be out of date.'} {reasonOf(list.failure)}
        </span>
        <Button size="sm" onClick={() => list.retry()}>
          Try again
        </Button>
      </div>
    )
  }
  if (hasNext) return <div className={styles.foot}>Loading more…</div>
  return <div className={`${styles.foot} num`}>{items(list.model.count)}</div>
}
