import { type RefObject, useCallback, useEffect, useLayoutEffect, useReducer, useRef, useState } from 'react'
import { flushSync } from 'react-dom'

/** Lines of known heights, one under the other, in pixels from the top of the content. */
export type Lines = {
  readonly count: number
  readonly topOf: (line: number) => number
  /** The line that covers this point. */
  readonly lineAt: (top: number) => number
}

/**
 * How the list goes by: quietly, in a jump of half a window or more, or in one jump after another, where no line is
 * seen for longer than a moment.
 */
export type Pace = 'CALM' | 'JUMP' | 'RUSH'

/**
 * Pixels drawn beyond both edges, so that a turn of the wheel shows no gap; what whole screens leave behind will never
 * be seen.
 */
const MARGIN: Readonly<Record<Pace, number>> = { CALM: 640, JUMP: 160, RUSH: 40 }
/** A jump this soon after another is part of a series. */
const AGAIN_MS = 120
const CALM_DOWN_MS = 150
/** Height of the bar that floats over the end of the list. */
const BAR = 76

type View = { readonly top: number; readonly height: number; readonly margin: number }
type Shown = { readonly first: number; readonly last: number }

/** The scroll position and pace (`jumpedAt` in milliseconds of any clock). */
export type ScrollState = {
  readonly top: number
  readonly height: number
  readonly pace: Pace
  readonly jumpedAt: number
}

const NONE: Shown = { first: 0, last: -1 }

const START: ScrollState = { top: 0, height: 900, pace: 'CALM', jumpedAt: Number.NEGATIVE_INFINITY }

/** The state after the list was scrolled or resized; the same object when the rendered lines are still enough. */
export function afterScroll(
  now: ScrollState,
  { top, height, at }: { top: number; height: number; at: number },
): ScrollState {
  const way = Math.abs(now.top - top)
  if (way > height / 2) {
    const isRush = now.pace === 'RUSH' || at - now.jumpedAt < AGAIN_MS
    return { top, height, pace: isRush ? 'RUSH' : 'JUMP', jumpedAt: at }
  }
  return way < MARGIN[now.pace] / 4 && now.height === height ? now : { ...now, top, height }
}

/** The next slower pace: first the visible lines are rendered in full, then more lines beyond the edges. */
export function afterPause(now: ScrollState): ScrollState {
  return now.pace === 'CALM' ? now : { ...now, pace: now.pace === 'RUSH' ? 'JUMP' : 'CALM' }
}

/**
 * Which lines to draw, however many there are: the visible ones and a margin. Heights are known beforehand, so that
 * nothing is measured. With `isRushing`, lines are rendered in a simplified form. The scroller has the attribute
 * `data-moving` while it is scrolled.
 * @param most how many lines one frame may add: drawing many lines of many elements at once would block the page. `pending` are
 * the visible lines of the next frames
 */
export function useLines(scroller: RefObject<HTMLElement | null>, lines: Lines, most = Number.POSITIVE_INFINITY) {
  const [scroll, setScroll] = useState(START)

  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    let calming: ReturnType<typeof setTimeout> | undefined
    const update = () => {
      const { scrollTop: top, clientHeight: height } = element
      setScroll((now) => afterScroll(now, { top, height, at: performance.now() }))
      clearTimeout(calming)
      calming = setTimeout(() => {
        delete element.dataset.moving
        setScroll(afterPause)
        calming = setTimeout(() => setScroll(afterPause), CALM_DOWN_MS)
      }, CALM_DOWN_MS)
    }
    // Drawn before the browser shows the new position: later, and fast scrolling would show empty places.
    const onScroll = () => {
      if (element.dataset.moving === undefined) element.dataset.moving = ''
      flushSync(update)
    }
    const observer = new ResizeObserver(update)
    observer.observe(element)
    element.addEventListener('scroll', onScroll, { passive: true })
    update()
    return () => {
      clearTimeout(calming)
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
  const { top, height, pace } = scroll
  const wanted = shownLines(lines, { top, height, margin: MARGIN[pace] })
  const seen = shownLines(lines, { top, height, margin: 0 })
  const shown = useGrowth(wanted, seen, most)
  const pending = range(seen).filter((line) => line < shown.first || line > shown.last)
  return { shown, pending, isRushing: pace === 'RUSH', scrollTo }
}

/** The part of `wanted` that is drawn now; each frame adds at most `most` lines. */
function useGrowth(wanted: Shown, seen: Shown, most: number): Shown {
  const drawn = useRef<Shown>(NONE)
  const [, grow] = useReducer((frames: number) => frames + 1, 0)
  const grewIn = useRef<unknown>(null)
  // A render between two frames, such as by a timer, adds no further lines.
  const now = document.timeline?.currentTime ?? null
  const mayGrow = now === null || now !== grewIn.current || most === Number.POSITIVE_INFINITY
  const { first, last } = grownLines(drawn.current, { wanted, seen, most: mayGrow ? most : 0 })
  // biome-ignore lint/correctness/useExhaustiveDependencies: only lines that come or go count
  useLayoutEffect(() => {
    drawn.current = { first, last }
    grewIn.current = now
  }, [first, last])
  const isDone = first === wanted.first && last === wanted.last
  // biome-ignore lint/correctness/useExhaustiveDependencies: each growth is a reason for the next
  useEffect(() => {
    if (isDone) return
    // Not in the same frame, in which a scroll event may have added lines.
    const drawnIn = grewIn.current
    let frame = requestAnimationFrame(function next(time) {
      if (time === drawnIn) frame = requestAnimationFrame(next)
      else flushSync(grow)
    })
    return () => cancelAnimationFrame(frame)
  }, [first, last, isDone])
  return { first, last }
}

/**
 * The lines of the next frame: those of `drawn` that are still wanted, and at most `most` more, without a gap. Visible lines (`seen`)
 * come before those of the margin.
 */
export function grownLines(
  drawn: Shown,
  { wanted, seen, most }: { readonly wanted: Shown; readonly seen: Shown; readonly most: number },
): Shown {
  let first = Math.max(drawn.first, wanted.first)
  let last = Math.min(drawn.last, wanted.last)
  const isNear = first <= last && first <= seen.last + 1 && last >= seen.first - 1
  if (!isNear) {
    first = seen.first
    last = seen.first - 1
  }
  let left = most
  for (const goal of [seen, wanted]) {
    const after = Math.min(left, Math.max(0, goal.last - last))
    last += after
    left -= after
    const before = Math.min(left, Math.max(0, first - goal.first))
    first -= before
    left -= before
  }
  return { first, last }
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

/** With `kept`, which stays drawn wherever the list is scrolled to; -1: none. In order, so that no element moves in the page. */
export function rangeWith(shown: Shown, kept: number): number[] {
  const lines = range(shown)
  if (kept < 0 || (kept >= shown.first && kept <= shown.last)) return lines
  return kept < shown.first ? [kept, ...lines] : [...lines, kept]
}
