import { type KeyboardEvent, type RefObject, useRef } from 'react'
import { BACK, FORTH } from '../lib/keyboard.ts'

const TYPE_AHEAD_MS = 700

/**
 * Arrow keys, Home, End, type-ahead; Escape and Tab close. Enter and Space are the buttons' own. The right arrow opens the menu of an
 * item, the left one closes it.
 * @param isInner whether it is the menu of an item
 */
export function useMenuKeys(menu: RefObject<HTMLElement | null>, onClose: () => void, isInner = false) {
  const typed = useRef({ text: '', at: 0 })
  return (event: KeyboardEvent): void => {
    const items = [...(menu.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])]
    const current = items.indexOf(document.activeElement as HTMLElement)
    const next = target(event, items, current, typed.current)
    if (event.key === 'Escape' || event.key === 'Tab' || (isInner && event.key === BACK)) {
      event.preventDefault()
      onClose()
      return
    }
    const item = items[current]
    if (event.key === FORTH && item?.getAttribute('aria-haspopup') === 'menu') item.click()
    if (!next) return
    event.preventDefault()
    next.focus()
  }
}

function target(
  event: KeyboardEvent,
  items: HTMLElement[],
  current: number,
  typed: { text: string; at: number },
): HTMLElement | undefined {
  if (event.key === 'ArrowDown') return items[(current + 1) % items.length]
  if (event.key === 'ArrowUp') return items[(current - 1 + items.length) % items.length]
  if (event.key === 'Home') return items[0]
  if (event.key === 'End') return items.at(-1)
  if (event.key.length !== 1 || event.key === ' ' || event.ctrlKey || event.metaKey || event.altKey) return undefined
  typed.text = event.timeStamp - typed.at > TYPE_AHEAD_MS ? event.key : typed.text + event.key
  typed.at = event.timeStamp
  return byText(items, current, typed.text.toLowerCase())
}

/** One letter moves to the next match; more letters narrow the search from the current item. */
function byText(items: HTMLElement[], current: number, text: string): HTMLElement | undefined {
  const start = text.length === 1 ? current + 1 : Math.max(current, 0)
  const ordered = [...items.slice(start), ...items.slice(0, start)]
  return ordered.find((item) => item.textContent?.trim().toLowerCase().startsWith(text))
}
