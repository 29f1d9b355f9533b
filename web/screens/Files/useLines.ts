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
/** The same while whole screens rush by: what is beyond the edge will never be seen. */
const RUSH_MARGIN = 160
const SETTLE_MS = 150
/** What floats over the end of the list. */
const BAR = 76

type View = { readonly top: number; readonly height: number; readonly margin: number }
type Shown = { readonly first: number; readonly last: number }

/**
 * Which lines to draw, however many there are: those in sight and a margin. Heights are known beforehand, so that
 * nothing is measured.
 */
export function useLines(scroller: RefObject<HTMLElement | null>, lines: Lines) {
  const [view, setView] = useState({ top: 0, height: 900, margin: MARGIN })

  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    let settling: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      const { scrollTop: top, clientHeight: height } = element
      setView((now) => {
        const way = Math.abs(now.top - top)
        const margin = way > height / 2 ? RUSH_MARGIN : now.margin
        return way < margin / 4 && now.height === height ? now : { top, height, margin }
      })
      clearTimeout(settling)
      settling = setTimeout(
        () => setView((now) => (now.margin === MARGIN ? now : { ...now, margin: MARGIN })),
        SETTLE_MS,
      )
    }
    // Drawn before the browser shows the new position: later, and fast scrolling would show empty places.
    const onScroll = () => flushSync(look)
    const observer = new ResizeObserver(look)
    observer.observe(element)
    element.addEventListener('scroll', onScroll, { passive: true })
    look()
    return () => {
      clearTimeout(settling)
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
export function shownLines(lines: Lines, view: View): Shown {
  const first = lines.lineAt(Math.max(0, view.top - view.margin))
  const last = lines.lineAt(view.top + view.height + view.margin)
  return { first: Math.min(first, Math.max(0, lines.count - 1)), last: Math.min(last, lines.count - 1) }
}

export function range({ first, last }: Shown): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, step) => first + step)
}
