import type { LucideIcon } from 'lucide-react'
import { Check, ChevronRight } from 'lucide-react'
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type SyntheticEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { createPortal } from 'react-dom'
import { cx } from '../lib/cx.ts'
import { useIsMobile } from '../lib/useMediaQuery.ts'
import { Icon } from './Icon.tsx'
import kbdStyles from './Kbd.module.css'
import menuStyles from './Menu.module.css'
import { placeMenu } from './placeMenu.ts'
import sheetStyles from './Sheet.module.css'
import { useMenuKeys } from './useMenuKeys.ts'

export type MenuItem = {
  id: string
  label: string
  icon?: LucideIcon
  /** Key hint at the end: "F2". */
  keys?: string
  /** Destructive items come last, after a line. */
  danger?: boolean
  /** Why it cannot be used now; the item is dimmed and says so. */
  disabledReason?: string | undefined
  /** Set for one of several choices. */
  checked?: boolean
  /** Opens another menu with these, instead of `onSelect`. */
  items?: readonly MenuEntry[]
  onSelect?: () => void
}
export type MenuEntry = MenuItem | 'line'
const opposite = (align: 'start' | 'end') => (align === 'start' ? 'end' : 'start')

export type MenuAnchor = { left: number; right: number; top: number; bottom: number }

export type MenuSurfaceProps = {
  label: string
  items: readonly MenuEntry[]
  anchor: MenuAnchor
  align?: 'start' | 'end'
  gap?: number
  onClose: () => void
  /** Shown above the items in the sheet of a narrow screen: the file's icon and name. */
  header?: ReactNode
  /** Of a menu inside another one: closes both. */
  onCloseAll?: () => void
}

const stop = (event: SyntheticEvent) => event.stopPropagation()

/** An open menu: floating at its anchor, or a sheet from below on a narrow screen. Focus returns when it closes. */
export function MenuSurface({
  label,
  items,
  anchor,
  align = 'start',
  gap = 4,
  onClose,
  header,
  onCloseAll = onClose,
}: MenuSurfaceProps) {
  const isSheet = useIsMobile()
  const [inner, setInner] = useState<Pick<MenuSurfaceProps, 'label' | 'items' | 'anchor'> | null>(null)
  const menu = useRef<HTMLDivElement>(null)
  const onKeyDown = useMenuKeys(menu, onClose, onCloseAll !== onClose)
  useFocusInside(menu)
  useCloseOnResize(onClose)
  useLayoutEffect(() => {
    const element = menu.current
    if (!element || isSheet) return
    const view = { width: window.innerWidth, height: window.innerHeight }
    const { left, top } = placeMenu(
      anchor,
      element.getBoundingClientRect(),
      view,
      import.meta.env.VITE_DIRECTION === 'rtl' ? opposite(align) : align,
      gap,
    )
    element.style.left = `${left}px`
    element.style.top = `${top}px`
  }, [anchor, align, gap, isSheet])

  const select = (item: MenuItem, { left, right, top }: MenuAnchor) => {
    if (item.disabledReason) return
    if (item.items) {
      const x = import.meta.env.VITE_DIRECTION === 'rtl' ? left : right
      setInner({ label: item.label, items: item.items, anchor: { left: x, right: x, top, bottom: top } })
      return
    }
    onCloseAll()
    item.onSelect?.()
  }
  // React events bubble through portals to the row or page that opened the menu: they end here.
  return createPortal(
    // biome-ignore lint/a11y/noStaticElementInteractions: the press outside is a shortcut for Escape
    <div
      className={cx(menuStyles.backdrop, isSheet && menuStyles.dimmed)}
      onPointerDown={(event) => {
        stop(event)
        if (event.target === event.currentTarget) onCloseAll()
      }}
      onContextMenu={(event) => {
        stop(event)
        event.preventDefault()
      }}
      onClick={stop}
      onDoubleClick={stop}
      onKeyDown={(event: KeyboardEvent) => {
        stop(event)
        onKeyDown(event)
      }}
    >
      <div ref={menu} className={isSheet ? sheetStyles.sheet : `${menuStyles.menu} ${menuStyles.floating}`}>
        {isSheet && <div className={sheetStyles.grab} />}
        {isSheet && header && <div className={sheetStyles.head}>{header}</div>}
        <div role="menu" aria-label={label}>
          {items.map((entry, index) =>
            entry === 'line' ? (
              <hr key={index} />
            ) : (
              <Item key={entry.id} item={entry} onSelect={(event) => select(entry, rectOf(event))} />
            ),
          )}
        </div>
      </div>
      {inner && <MenuSurface {...inner} gap={0} onClose={() => setInner(null)} onCloseAll={onCloseAll} />}
    </div>,
    document.body,
  )
}

const rectOf = (event: MouseEvent<HTMLElement>): MenuAnchor => event.currentTarget.getBoundingClientRect()

function Item({ item, onSelect }: { item: MenuItem; onSelect: (event: MouseEvent<HTMLElement>) => void }) {
  const { label, icon, keys, danger, disabledReason, checked, items } = item
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: aria-checked is set with the role that has it
    <button
      type="button"
      role={checked === undefined ? 'menuitem' : 'menuitemradio'}
      aria-checked={checked}
      aria-haspopup={items && 'menu'}
      aria-disabled={disabledReason ? true : undefined}
      aria-description={disabledReason}
      title={disabledReason}
      tabIndex={-1}
      className={cx(menuStyles.item, danger && menuStyles.destructive)}
      onClick={onSelect}
      onPointerEnter={(event) => event.pointerType === 'mouse' && event.currentTarget.focus({ preventScroll: true })}
    >
      {icon && <Icon icon={icon} />}
      <span className="grow ell">{label}</span>
      {checked && <Icon icon={Check} className={menuStyles.itemCheck} />}
      {items && <Icon icon={ChevronRight} size={14} />}
      {keys && <span className={kbdStyles.kbd}>{keys}</span>}
    </button>
  )
}

/** Focuses the first item, and on close what had the focus before. */
function useFocusInside(menu: React.RefObject<HTMLDivElement | null>): void {
  useLayoutEffect(() => {
    const before = document.activeElement
    menu.current?.querySelector<HTMLElement>('[role^="menuitem"]')?.focus({ preventScroll: true })
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true })
    }
  }, [menu])
}

/** The anchor's place is stale once the window changes. */
function useCloseOnResize(onClose: () => void): void {
  useEffect(() => {
    window.addEventListener('resize', onClose)
    return () => window.removeEventListener('resize', onClose)
  }, [onClose])
}
