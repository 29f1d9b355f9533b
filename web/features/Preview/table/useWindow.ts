import { type RefObject, useEffect, useState } from 'react'

/** Rows beyond both edges that are rendered too, so that scrolling shows no gaps. */
const OVERSCAN = 20
/** Before the element has a height. */
const FIRST_ROWS = 60

/** The rows of a scrolling element that have to be rendered: from `first` up to, not including, `end`. */
export function useWindow(scroller: RefObject<HTMLElement | null>, count: number, rowHeight: number) {
  const [edges, setEdges] = useState({ first: 0, end: Math.min(count, FIRST_ROWS) })
  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const look = () => {
      const first = Math.max(0, Math.floor(element.scrollTop / rowHeight) - OVERSCAN)
      const visible = Math.max(FIRST_ROWS, Math.ceil(element.clientHeight / rowHeight) + 2 * OVERSCAN)
      setEdges((now) => (now.first === first && now.end === first + visible ? now : { first, end: first + visible }))
    }
    look()
    element.addEventListener('scroll', look, { passive: true })
    window.addEventListener('resize', look)
    return () => {
      element.removeEventListener('scroll', look)
      window.removeEventListener('resize', look)
    }
  }, [scroller, rowHeight])
  return { first: Math.min(edges.first, count), end: Math.min(edges.end, count) }
}
