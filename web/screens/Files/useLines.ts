import { type RefObject, useCallback, useLayoutEffect, useState } from 'react'
import { flushSync } from 'react-dom'

/** Lines of known heights, one under the other, in pixels from the top of the content. */
export type Lines = {
  readonly count: number
  readonly topOf: (line: number) => number
  /** The line that covers this point. */
  readonly lineAt: (top: number) => number
}

/** Pixels drawn beyond both edges, so that a turn of the wheel shows no gap. */
const MARGIN = 640
/** What floats over the end of the list. */
const BAR = 76

type Shown = { readonly first: number; readonly last: number }

/**
 * Which lines to draw, however many there are: those in sight and a margin. Heights are known beforehand, so that
 * nothing is measured.
 */
export function useLines(scroller: RefObject<HTMLElement | null>, lines: Lines) {
  const [view, setView] = useState({ top: 0, height: 900 })

  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const look = () => {
      const next = { top: element.scrollTop, height: element.clientHeight }
      setView((now) => (Math.abs(now.top - next.top) < MARGIN / 4 && now.height === next.height ? now : next))
    }
    // Drawn before the browser shows the new position: later, and fast scrolling would show empty places.
    const onScroll = () => flushSync(look)
    const observer = new ResizeObserver(look)
    observer.observe(element)
    element.addEventListener('scroll', onScroll, { passive: true })
    look()
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', onScroll)
    }
  }, [scroller])

  const scrollTo = useCallback(
    (line: number) => {
      const element = scroller.current
      if (!element) return
      const top = lines.topOf(line)
      const below = lines.topOf(line + 1) + BAR - element.clientHeight
      if (top < element.scrollTop) element.scrollTop = top
      else if (below > element.scrollTop) element.scrollTop = below
    },
    [scroller, lines],
  )
  return { shown: shownLines(lines, view), scrollTo }
}

/** The first and the last line to draw; last is before first when there are none. */
export function shownLines(lines: Lines, view: { readonly top: number; readonly height: number }): Shown {
  const first = lines.lineAt(Math.max(0, view.top - MARGIN))
  const last = lines.lineAt(view.top + view.height + MARGIN)
  return { first: Math.min(first, Math.max(0, lines.count - 1)), last: Math.min(last, lines.count - 1) }
}

export function range({ first, last }: Shown): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, step) => first + step)
}
