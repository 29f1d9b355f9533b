import { type RefObject, useEffect, useRef } from 'react'
import { isOverlayOpen } from '../../../lib/keyboard.ts'
import type { FileManager } from '../FilesContext.ts'

/**
 * Moves the browser's focus to the row that the selection's focus is on, once it is drawn, scrolling it into sight.
 * Only while the focus is in the list already, or nowhere: it never takes the focus from a field.
 */
export function useFocusRow(
  { list, selection }: FileManager,
  scroller: RefObject<HTMLElement | null>,
  scrollTo: (index: number) => void,
): void {
  const { focus } = selection
  // A folder just made is in focus before the list has read it.
  const isHere = focus !== null && list.model.indexOf(focus) >= 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new focus moves it, not a new list or a new scroll
  useEffect(() => {
    const element = scroller.current
    if (focus === null || !isHere || !element || !mayFocus(element)) return
    scrollTo(list.model.indexOf(focus))
    // A grid draws a few lines in each frame.
    let triesLeft = 60
    let frame = requestAnimationFrame(function look() {
      // A field may have opened since.
      if (!mayFocus(element)) return
      const row = rowOf(element, focus)
      if (row) return row.focus({ preventScroll: true })
      triesLeft -= 1
      if (triesLeft > 0) frame = requestAnimationFrame(look)
    })
    return () => cancelAnimationFrame(frame)
  }, [focus, isHere])
}

/**
 * What has the focus may vanish: a name field that closes, a row in the trash, a menu, a toast, a row that scrolls
 * away. Then the row of the keyboard takes the focus, or what stands for the whole list, so that keys and screen
 * readers continue where they were. A press on an empty place is ignored, and so is Tab out of the page.
 */
export function useKeepFocus(
  pane: RefObject<HTMLElement | null>,
  scroller: RefObject<HTMLElement | null>,
  focus: string | null,
): void {
  const latest = useRef(focus)
  latest.current = focus
  const keep = useRef<() => void>(undefined)
  useEffect(() => {
    let isOurs = false
    let frame = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    let last: Element | null = null
    let wasInDialog = false
    let wasTab = false
    const isLost = () => isOurs && !isOverlayOpen() && isFocusLost()
    const keepFocus = () => {
      if (!isLost()) return
      // To the controls of the browser: pulled back, it could never get there.
      if (wasTab && last && canHaveFocus(last)) isOurs = false
      else if (wasInDialog) timer ??= setTimeout(keepAfterDialog)
      else focusHome()
    }
    // A dialog returns the focus to what has opened it, which comes first; without that row, to the list.
    const keepAfterDialog = () => {
      timer = undefined
      if (isLost() || (scroller.current !== null && document.activeElement === scroller.current)) focusHome()
    }
    const focusHome = () => {
      const list = scroller.current
      const row = list && latest.current ? rowOf(list, latest.current) : null
      const home = row ?? list ?? pane.current?.querySelector<HTMLElement>('[data-list-focus]') ?? pane.current
      home?.focus({ preventScroll: true })
    }
    keep.current = keepFocus
    const onFocusIn = ({ target }: FocusEvent) => {
      isOurs = true
      last = target instanceof Element ? target : null
      wasInDialog = last?.closest('[role$="dialog"]') != null
    }
    const onPointerDown = () => {
      isOurs = false
    }
    const onKeyDown = ({ key }: KeyboardEvent) => {
      wasTab = key === 'Tab'
    }
    const onFocusOut = () => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(keepFocus)
    }
    document.addEventListener('focusin', onFocusIn)
    document.addEventListener('focusout', onFocusOut)
    document.addEventListener('pointerdown', onPointerDown, true)
    document.addEventListener('keydown', onKeyDown, true)
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
      document.removeEventListener('focusin', onFocusIn)
      document.removeEventListener('focusout', onFocusOut)
      document.removeEventListener('pointerdown', onPointerDown, true)
      document.removeEventListener('keydown', onKeyDown, true)
    }
  }, [pane, scroller])
  // Not every browser says that an element with the focus was taken away.
  useEffect(() => keep.current?.())
}

function rowOf(list: HTMLElement, id: string): HTMLElement | null {
  return list.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`)
}

function isFocusLost(): boolean {
  const active = document.activeElement
  return active === null || active === document.body || !active.isConnected
}

/** Whether it is still there to have the focus, so that only the person can have taken it away. */
function canHaveFocus(element: Element): boolean {
  // Not known to every browser.
  return element.isConnected && !element.matches(':disabled') && element.checkVisibility?.() !== false
}

function mayFocus(element: HTMLElement): boolean {
  const active = document.activeElement
  // The body, or the pane that stands in for a list without rows.
  if (active === null || active.contains(element)) return true
  return element.contains(active) && !active.matches('input')
}
