import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import type { FileListStore } from './fileListStore.ts'

/** Reports the visible rows and the scroll speed to the list, so that it loads ahead. */
export function useReportRange(list: FileListStore, first: number, last: number): void {
  const before = useRef({ first, at: 0 })
  const version = list.model.version
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version is a reason to look again
  useEffect(() => {
    const at = performance.now()
    const seconds = (at - before.current.at) / 1000
    const velocity = seconds > 0 && seconds < 0.5 ? (first - before.current.first) / seconds : 0
    before.current = { first, at }
    list.see({ first, last, velocity })
  }, [list, first, last, version])
}

/** Where rows stand, in pixels from the top of the content. */
type Place = { readonly topOf: (index: number) => number; readonly lineAt: (top: number) => number }

/**
 * Keeps the first visible row where it is when rows come or go above it, and keeps the scroll position of a list that
 * is left and shown again.
 */
export function useSteadyScroll(list: FileListStore, scroller: RefObject<HTMLElement | null>, place: Place): void {
  const anchor = useRef<{ id: string; offset: number } | null>(null)
  const shown = useRef<FileListStore | null>(null)
  const { model } = list

  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const remember = () => {
      const top = element.scrollTop
      list.scrollTop = top
      const index = place.lineAt(top)
      const row = model.rowAt(index)
      anchor.current = row && top > 0 ? { id: row.id, offset: top - place.topOf(index) } : null
    }
    // Before anyone draws: afterwards, asking for the position would make the browser lay out the page once more.
    element.addEventListener('scroll', remember, { passive: true, capture: true })
    return () => element.removeEventListener('scroll', remember, { capture: true })
  }, [list, model, scroller, place])

  const version = model.version
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version is what may have moved the rows
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    if (shown.current !== list) {
      shown.current = list
      anchor.current = null
      element.scrollTop = list.scrollTop
      return
    }
    const index = anchor.current ? model.indexOf(anchor.current.id) : -1
    if (!anchor.current || index < 0) return
    const wanted = place.topOf(index) + anchor.current.offset
    if (Math.abs(wanted - element.scrollTop) >= 1) element.scrollTop = wanted
  }, [list, model, scroller, place, version])
}
