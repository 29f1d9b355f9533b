import { type FocusEvent, type MouseEvent, type PointerEvent, useMemo, useRef } from 'react'
import { isMobileNow } from '../../../lib/useMediaQuery.ts'
import type { FileManager } from '../FilesContext.ts'
import { clear, has, isEmpty, moveFocus, pointerSelect, selectOnly, targetsOf, toggle } from './selection.ts'

const LONG_PRESS_MS = 500
const PRESS_SLIP = 10

type Press = { readonly timer: number; readonly x: number; readonly y: number }

/**
 * Pointer events of rows and tiles, handled once for the whole list: a click selects, a double click opens, a right
 * click opens the menu; by touch a tap opens and a long press selects.
 */
export function useRowEvents(manager: FileManager) {
  const latest = useRef(manager)
  latest.current = manager
  const press = useRef<Press | null>(null)
  const wasLong = useRef(false)
  return useMemo(() => {
    const endPress = () => {
      if (press.current) window.clearTimeout(press.current.timer)
      press.current = null
    }
    return {
      // Tab and screen readers focus a row by themselves; keys must then mean that row.
      onFocus: (event: FocusEvent) => {
        const row = event.target
        const id = row instanceof HTMLElement && row.matches('[data-id]') ? row.dataset.id : undefined
        if (id && id !== latest.current.selection.focus)
          latest.current.setSelection((selection) => moveFocus(selection, id))
      },
      onClick: (event: MouseEvent) => {
        if (wasLong.current) {
          wasLong.current = false
          return event.preventDefault()
        }
        click(latest.current, event)
      },
      onDoubleClick: (event: MouseEvent) => {
        const id = rowId(event)
        if (!id || isControl(event) || pointerOf(event) === 'touch') return
        latest.current.open(id)
      },
      onContextMenu: (event: MouseEvent) => {
        const id = rowId(event)
        if (pointerOf(event) === 'touch') return id === null ? undefined : event.preventDefault()
        if (id === null) return openPlaceMenu(latest.current, event)
        event.preventDefault()
        openMenu(latest.current, id, { x: event.clientX, y: event.clientY })
      },
      onPointerDown: (event: PointerEvent) => {
        const id = rowId(event)
        wasLong.current = false
        if (!id || event.pointerType !== 'touch' || isControl(event)) return
        const timer = window.setTimeout(() => {
          wasLong.current = true
          latest.current.setSelection((selection) => toggle(selection, id))
        }, LONG_PRESS_MS)
        press.current = { timer, x: event.clientX, y: event.clientY }
      },
      onPointerMove: (event: PointerEvent) => {
        if (press.current && Math.hypot(event.clientX - press.current.x, event.clientY - press.current.y) > PRESS_SLIP)
          endPress()
      },
      onPointerUp: endPress,
      onPointerCancel: endPress,
    }
  }, [])
}

/**
 * Right-clicking what is not selected selects it first; a bottom sheet shows the name of its item, and taps must still
 * open items.
 */
export function openMenu(manager: FileManager, id: string, at: { x: number; y: number }): void {
  const ids = targetsOf(manager.selection, id)
  if (!has(manager.selection, id) && !isMobileNow()) manager.setSelection(() => selectOnly(id))
  manager.panels.set({ menu: { at, ids } })
}

/** The menu of the open folder, or of the view, by a right click where there is no row. */
export function openPlaceMenu({ panels, setSelection }: FileManager, event: MouseEvent): void {
  if (isControl(event)) return
  event.preventDefault()
  setSelection(clear)
  panels.set({ menu: { at: { x: event.clientX, y: event.clientY }, ids: [] } })
}

function click(manager: FileManager, event: MouseEvent): unknown {
  const id = rowId(event)
  if (!id) return undefined
  const target = event.target as Element
  const menuButton = target.closest('[data-menu]')
  if (menuButton) {
    const box = menuButton.getBoundingClientRect()
    const x = import.meta.env.VITE_DIRECTION === 'rtl' ? box.right : box.left
    return openMenu(manager, id, { x, y: box.bottom })
  }
  if (target.closest('[data-details]')) {
    manager.setSelection(() => selectOnly(id))
    return manager.panels.setDetails(true, 'sharing')
  }
  const reconnect = target.closest<HTMLElement>('[data-reconnect]')?.dataset.reconnect
  if (reconnect) return manager.panels.set({ dialog: { kind: 'account', action: 'reconnect', id: reconnect } })
  if (target.closest('input, button')) {
    return target.matches('input[type="checkbox"]') && checkboxClick(manager, event, id)
  }
  // The name is a link for other tabs and for copying; here a click means the row.
  event.preventDefault()
  const isTap = pointerOf(event) === 'touch'
  if (isTap && isEmpty(manager.selection)) return manager.open(id)
  if (isTap) return manager.setSelection((selection) => toggle(selection, id))
  const keys = { shift: event.shiftKey, ctrl: event.ctrlKey || event.metaKey }
  return manager.setSelection((selection) => pointerSelect(selection, id, keys, manager.list.model))
}

function checkboxClick(manager: FileManager, event: MouseEvent, id: string): void {
  const keys = { shift: event.shiftKey, ctrl: true }
  manager.setSelection((selection) => pointerSelect(selection, id, keys, manager.list.model))
}

function rowId(event: MouseEvent): string | null {
  const row = (event.target as Element).closest<HTMLElement>('[data-id]')
  return row?.dataset.id ?? null
}

function isControl(event: MouseEvent): boolean {
  return (event.target as Element).closest('input, button') !== null
}

/** Click events are pointer events in current browsers; where they are not, they count as a mouse. */
function pointerOf(event: MouseEvent): string {
  return (event.nativeEvent as { pointerType?: string }).pointerType ?? 'mouse'
}
