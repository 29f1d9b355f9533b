type Size = { width: number; height: number }
type Anchor = { left: number; right: number; top: number; bottom: number }

const EDGE = 8

/**
 * Where a floating menu goes (pixels from the window's top left): under its anchor, above it when there is no room
 * below, and never over the window's edge. A point is an anchor without width and height.
 */
export function placeMenu(anchor: Anchor, menu: Size, view: Size, align: 'start' | 'end', gap: number) {
  const wanted = align === 'start' ? anchor.left : anchor.right - menu.width
  const left = Math.max(EDGE, Math.min(wanted, view.width - menu.width - EDGE))
  const below = anchor.bottom + gap
  const above = anchor.top - gap - menu.height
  if (below + menu.height <= view.height - EDGE) return { left, top: below }
  if (above >= EDGE) return { left, top: above }
  return { left, top: Math.max(EDGE, view.height - menu.height - EDGE) }
}
