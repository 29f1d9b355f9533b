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
export function isCommandKey(event: Pick<KeyboardEvent, 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>): boolean {
  return (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey
}
