import { type KeyboardEvent, type RefObject, useEffect } from 'react'

const FOCUSABLE = 'button:not([disabled]), a[href], input:not([disabled]), video, audio, iframe, [tabindex="0"]'

/** While this is true, a dialog that the preview has opened covers it; afterwards the focus is in the preview again. */
export function useCovered(element: RefObject<HTMLElement | null>, isCovered: boolean): void {
  useEffect(() => {
    if (!isCovered) return
    return () => {
      const back = () => {
        const root = element.current
        if (root && !root.contains(document.activeElement)) root.focus()
      }
      // The dialog gives the focus back in a microtask, to an element that may not take it. The next key comes after that, and some
      // dialogs leave the page only with the next frames.
      queueMicrotask(() => queueMicrotask(back))
      requestAnimationFrame(() => requestAnimationFrame(back))
    }
  }, [element, isCovered])
}

/**
 * Keeps the focus inside `element` while it is shown and returns it when it closes, unless it was moved
 * elsewhere by then. Answers with the handler for Tab.
 */
export function useModal(element: RefObject<HTMLElement | null>): (event: KeyboardEvent) => void {
  useEffect(() => {
    const root = element.current
    const before = document.activeElement
    root?.focus()
    document.documentElement.classList.add('overflow-hidden')
    return () => {
      document.documentElement.classList.remove('overflow-hidden')
      const isElsewhere = document.activeElement !== document.body && !root?.contains(document.activeElement)
      if (!isElsewhere && before instanceof HTMLElement) before.focus()
    }
  }, [element])

  return (event) => {
    if (event.key !== 'Tab') return
    const stops = [...(element.current?.querySelectorAll<HTMLElement>(FOCUSABLE) ?? [])]
    const [first] = stops
    const last = stops.at(-1)
    const from = event.shiftKey ? first : last
    const isAtEdge = document.activeElement === from || document.activeElement === element.current
    if (!isAtEdge || (document.activeElement === element.current && !event.shiftKey)) return
    event.preventDefault()
    ;(event.shiftKey ? last : first)?.focus()
  }
}
