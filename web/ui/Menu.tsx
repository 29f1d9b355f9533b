import { type KeyboardEvent, type MouseEvent, type ReactNode, useCallback, useState } from 'react'
import { type MenuAnchor, type MenuEntry, MenuSurface } from './MenuSurface.tsx'

export type MenuTriggerProps = {
  'aria-haspopup': 'menu'
  'aria-expanded': boolean
  onClick: (event: MouseEvent<HTMLElement>) => void
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void
}

type Props = {
  label: string
  items: readonly MenuEntry[]
  align?: 'start' | 'end'
  header?: ReactNode
  /** Renders the button; spread the given props on it. */
  trigger: (props: MenuTriggerProps) => ReactNode
}

/** A button that opens a menu. */
export function Menu({ label, items, align = 'start', header, trigger }: Props) {
  const [anchor, setAnchor] = useState<MenuAnchor | null>(null)
  const close = useCallback(() => setAnchor(null), [])
  const open = (element: HTMLElement) => setAnchor(element.getBoundingClientRect())
  return (
    <>
      {trigger({
        'aria-haspopup': 'menu',
        'aria-expanded': anchor !== null,
        onClick: (event) => {
          event.stopPropagation()
          open(event.currentTarget)
        },
        onKeyDown: (event) => {
          if (event.key !== 'ArrowDown') return
          event.preventDefault()
          event.stopPropagation()
          open(event.currentTarget)
        },
      })}
      {anchor && <MenuSurface {...{ label, items, anchor, align, header }} onClose={close} />}
    </>
  )
}

type ContextMenuProps = {
  label: string
  items: readonly MenuEntry[]
  /** Where it was asked for (clientX, clientY; the focused row's corner for the keyboard); null: closed. */
  at: { x: number; y: number } | null
  onClose: () => void
  header?: ReactNode
}

/** The menu of a right click, Shift+F10 or a long press, at a point. */
export function ContextMenu({ at, ...props }: ContextMenuProps) {
  if (!at) return null
  return <MenuSurface {...props} anchor={{ left: at.x, right: at.x, top: at.y, bottom: at.y }} gap={0} />
}
