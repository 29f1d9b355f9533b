import { type PointerEvent, type RefObject, useRef, useState } from 'react'
import type { FileManager } from '../FilesContext.ts'
import { clear, selectAll } from './selection.ts'

export type Band = { readonly left: number; readonly top: number; readonly width: number; readonly height: number }

/** Dragging a box from an empty place of the list selects the rows it touches; a click there clears the selection. */
export function useRubberBand(manager: FileManager, scroller: RefObject<HTMLElement | null>) {
  const [band, setBand] = useState<Band | null>(null)
  const start = useRef<{ x: number; y: number; before: ReadonlySet<string> } | null>(null)

  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    const isEmptyPlace = !(event.target as Element).closest('[data-id], button, a, input')
    if (!isEmptyPlace || event.button !== 0 || event.pointerType === 'touch' || isOnScrollbar(event)) return
    const keeps = event.shiftKey || event.ctrlKey || event.metaKey
    if (!keeps) manager.setSelection(clear)
    const point = pointIn(scroller.current, event)
    start.current = { ...point, before: keeps ? manager.selection.ids : new Set() }
    event.currentTarget.setPointerCapture(event.pointerId)
  }
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const from = start.current
    const element = scroller.current
    if (!from || !element) return
    const to = pointIn(element, event)
    const next = boxOf(from, to)
    if (!band && next.width + next.height < 6) return
    setBand(next)
    const ids = [...from.before, ...touched(element, next)]
    manager.setSelection((selection) => selectAll(selection, ids))
  }
  const end = () => {
    start.current = null
    setBand(null)
  }
  return { band, handlers: { onPointerDown, onPointerMove, onPointerUp: end, onPointerCancel: end } }
}

/** Pixels from the top left of the list's content. */
function pointIn(element: HTMLElement | null, event: PointerEvent): { x: number; y: number } {
  if (!element) return { x: event.clientX, y: event.clientY }
  const box = element.getBoundingClientRect()
  return { x: event.clientX - box.left + element.scrollLeft, y: event.clientY - box.top + element.scrollTop }
}

function boxOf(from: { x: number; y: number }, to: { x: number; y: number }): Band {
  return {
    left: Math.min(from.x, to.x),
    top: Math.min(from.y, to.y),
    width: Math.abs(from.x - to.x),
    height: Math.abs(from.y - to.y),
  }
}

function touched(element: HTMLElement, band: Band): string[] {
  const view = element.getBoundingClientRect()
  const left = band.left + view.left - element.scrollLeft
  const top = band.top + view.top - element.scrollTop
  const hits: string[] = []
  for (const row of element.querySelectorAll<HTMLElement>('[data-id]')) {
    const box = row.getBoundingClientRect()
    const isHit = box.left < left + band.width && box.right > left && box.top < top + band.height && box.bottom > top
    if (isHit && row.dataset.id) hits.push(row.dataset.id)
  }
  return hits
}

function isOnScrollbar(event: PointerEvent<HTMLElement>): boolean {
  const element = event.currentTarget
  const { left, right } = element.getBoundingClientRect()
  const isBeyond =
    import.meta.env.VITE_DIRECTION === 'rtl'
      ? event.clientX < right - element.clientWidth
      : event.clientX >= left + element.clientWidth
  return event.target === element && isBeyond
}
