import { type KeyboardEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { cx } from '../../../lib/cx.ts'
import { nameText } from '../../../lib/nameText.ts'
import { useIsMobile } from '../../../lib/useMediaQuery.ts'
import { messages } from '../messages.ts'
import paper from '../Preview.module.css'
import { useWindow } from '../table/useWindow.ts'
import type { ContentProps } from '../useContent.ts'
import { Waiting } from '../Waiting.tsx'
import { rowAfterWrap } from './longText.ts'
import styles from './Text.module.css'
import { type Loaded, useLongText } from './useLongText.ts'

/** The same as in the stylesheet. */
const ROW_HEIGHT = 20
/** So near to an edge of what is loaded, more is loaded. */
const NEAR_PX = 2_000

/** Of the font of code, at the stylesheet's size. */
const LETTER_PX = 8
/** On both sides of wrapped text, in all. */
const PADDING_PX = 32

/**
 * A text of any size: opens at its beginning and loads what is scrolled to. Nothing in it is executed. On a narrow screen its lines are
 * wrapped, and not numbered.
 */
export function LongText({ name, url, size, cannotShow }: ContentProps) {
  const isWrapped = useIsMobile()
  const columns = useColumns()
  const { loaded, reason, jump, loadNext, loadPrevious } = useLongText(url, size, isWrapped ? columns : null)
  if (!loaded) return reason === null ? <Waiting /> : cannotShow(reason)
  return <Lines isStuck={reason !== null} {...{ isWrapped, name, size, loaded, jump, loadNext, loadPrevious }} />
}

/** That fit into the width of the window. */
const columnsNow = () => Math.max(20, Math.floor((window.innerWidth - PADDING_PX) / LETTER_PX))

function useColumns(): number {
  const [columns, setColumns] = useState(columnsNow)
  useEffect(() => {
    const look = () => setColumns(columnsNow())
    window.addEventListener('resize', look)
    return () => window.removeEventListener('resize', look)
  }, [])
  return columns
}

type LinesProps = {
  readonly isWrapped: boolean
  readonly name: string
  readonly size: number
  readonly loaded: Loaded
  /** The part that was scrolled to could not be loaded; the next scroll tries again. */
  readonly isStuck: boolean
  readonly jump: (offset: number) => void
  readonly loadNext: (end: number) => void
  readonly loadPrevious: (start: number) => void
}

function Lines({ isWrapped, name, size, loaded, isStuck, jump, loadNext, loadPrevious }: LinesProps) {
  const scroller = useRef<HTMLElement>(null)
  const rows = useMemo(() => numberedRows(loaded), [loaded])
  const { first, end } = useWindow(scroller, rows.length, ROW_HEIGHT)
  const start = loaded.pieces[0]?.start ?? 0
  const stop = loaded.pieces.at(-1)?.end ?? size

  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    if (loaded.jumpedTo) element.scrollTop = loaded.jumpedTo === 'end' ? element.scrollHeight : 0
    else if (loaded.before)
      element.scrollTop =
        rowAfterWrap(loaded.before, Math.round(element.scrollTop / ROW_HEIGHT), loaded.pieces) * ROW_HEIGHT
    else element.scrollTop += loaded.moved * ROW_HEIGHT
  }, [loaded])
  // Before the browser reports the scrolling above: what listened before would ask for parts around those that were shown then.
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const look = () => {
      const below = element.scrollHeight - element.scrollTop - element.clientHeight
      if (below < NEAR_PX && stop < size) loadNext(stop)
      else if (element.scrollTop < NEAR_PX && start > 0) loadPrevious(start)
    }
    look()
    element.addEventListener('scroll', look, { passive: true })
    return () => element.removeEventListener('scroll', look)
  }, [start, stop, size, loadNext, loadPrevious])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Home' && event.key !== 'End') return
    // The browser's own scrolling would move what is loaded then.
    event.preventDefault()
    jump(event.key === 'Home' ? 0 : size)
  }
  const at = Math.round(start + ((stop - start) * Math.min(first + 20, rows.length)) / Math.max(1, rows.length))
  const shown = rows.slice(first, end)
  return (
    <div className={styles.long}>
      <section
        className={styles.scroller}
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={nameText(name)}
        onKeyDown={onKeyDown}
      >
        <div style={{ height: first * ROW_HEIGHT }} />
        <div className={cx(`${paper.code} ${styles.window} mono`, isWrapped && styles.wrapped)}>
          <pre className={`${paper.lines} num`} aria-hidden>
            {shown.map(({ number }) => number ?? ' ').join('\n')}
          </pre>
          <pre>{shown.map(({ text }) => text).join('\n')}</pre>
        </div>
        <div style={{ height: Math.max(0, rows.length - end) * ROW_HEIGHT }} />
      </section>
      <div className={styles.position}>
        <input
          type="range"
          min={0}
          max={size}
          value={stop >= size && end >= rows.length ? size : first === 0 ? start : at}
          aria-label={messages.position}
          aria-valuetext={messages.positionText(at, size)}
          onChange={(event) => jump(Number(event.currentTarget.value))}
        />
        <span className="meta num" {...(isStuck && { role: 'status' })}>
          {isStuck ? messages.partNotLoaded : messages.positionText(first === 0 ? start : at, size)}
        </span>
      </div>
    </div>
  )
}

/** `number`: null in a continued line, and where lines are not counted. */
function numberedRows({ pieces, firstLine }: Loaded): { text: string; number: number | null }[] {
  let before = firstLine
  return pieces.flatMap(({ rows, breaks }) => {
    const base = before
    before = before === null ? null : before + breaks
    return rows.map(({ text, line }) => ({ text, number: base === null || line === null ? null : base + line }))
  })
}
