import { type RefObject, useEffect } from 'react'
import type { FileManager } from './FilesContext.ts'

/**
 * Moves the browser's focus to the row that the selection's focus is on, once it is drawn, scrolling it into sight. Only
 * while the focus is in the list already, or nowhere: nobody is pulled out of a field.
 */
export function useFocusRow(
  { list, selection }: FileManager,
  scroller: RefObject<HTMLElement | null>,
  scrollTo: (index: number) => void,
): void {
  const { focus } = selection
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new focus moves it, not a new list or a new scroll
  useEffect(() => {
    const element = scroller.current
    if (focus === null || !element || !mayFocus(element)) return
    const index = list.model.indexOf(focus)
    if (index < 0) return
    scrollTo(index)
    let triesLeft = 10
    let frame = requestAnimationFrame(function look() {
      // A field may have opened since.
      if (!mayFocus(element)) return
      const row = element.querySelector<HTMLElement>(`[data-id="${CSS.escape(focus)}"]`)
      if (row) return row.focus({ preventScroll: true })
      triesLeft -= 1
      if (triesLeft > 0) frame = requestAnimationFrame(look)
    })
    return () => cancelAnimationFrame(frame)
  }, [focus])
}

function mayFocus(element: HTMLElement): boolean {
  const active = document.activeElement
  if (active === null || active === document.body) return true
  return element.contains(active) && !active.matches('input')
}
