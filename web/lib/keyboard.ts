import { useEffect, useEffectEvent } from 'react'

/** The arrow keys against and along the line of reading. */
export const BACK = import.meta.env.VITE_DIRECTION === 'rtl' ? 'ArrowRight' : 'ArrowLeft'
export const FORTH = import.meta.env.VITE_DIRECTION === 'rtl' ? 'ArrowLeft' : 'ArrowRight'

/** Elements that receive typed text, where single-letter shortcuts are disabled. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select')
}

/** True while a dialog or a menu is open: page shortcuts belong to the page only. */
export function isOverlayOpen(): boolean {
  return document.querySelector('[role="dialog"][aria-modal="true"], [role="alertdialog"], [role="menu"]') !== null
}

/** Ctrl, or Command on a Mac, and no other modifier. */
function isCommandKey(event: Pick<KeyboardEvent, 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>): boolean {
  return (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey
}

/** Calls what a letter stands for when it is pressed with Ctrl or Command, wherever the focus is. */
export function useCommandKeys(acts: Readonly<Record<string, () => void>>): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const act = isCommandKey(event) && acts[event.key.toLowerCase()]
    if (!act) return
    event.preventDefault()
    act()
  })
  useEffect(() => {
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
}
