import { writeChoice } from '../../../lib/storedChoice.ts'
import { COLUMNS, NARROWEST, readWidths, STORED_COLUMNS, tracksOf, WIDEST } from './columns.ts'

/** The widths that columns have before they are changed, while the details are closed. */
const USUAL = [232, 152, 104] as const

/** The chosen widths, or the usual ones; negative: hidden. */
export function currentWidths(text: string | null): number[] {
  return readWidths(text) ?? [...USUAL]
}

/** `null`: the usual ones again. */
export function saveWidths(widths: readonly number[] | null): void {
  writeChoice(STORED_COLUMNS, widths?.map(Math.round).join(',') ?? '')
}

const clamp = (width: number): number => Math.min(WIDEST, Math.max(NARROWEST, width))

type Press = { readonly pointerId: number; readonly clientX: number }

/**
 * Changes the width of a column while the pointer that was pressed on its edge moves. The edge has captured the pointer; if that was
 * released before this code was loaded, nothing happens.
 */
export function dragEdge(edge: HTMLElement, index: number, { pointerId, clientX }: Press): void {
  const pane = edge.closest<HTMLElement>('[data-list-focus="pane"]')
  if (!pane || !edge.hasPointerCapture(pointerId)) return
  const isRightToLeft = getComputedStyle(pane).direction === 'rtl'
  const widths = drawnWidths(edge)
  const start = Math.abs(widths[index] ?? 0)
  const onMove = (event: PointerEvent) => {
    const moved = (event.clientX - clientX) * (isRightToLeft ? -1 : 1)
    widths[index] = clamp(start - moved)
    pane.style.setProperty('--tracks', tracksOf(widths))
  }
  const onEnd = () => {
    edge.removeEventListener('pointermove', onMove)
    edge.removeEventListener('lostpointercapture', onEnd)
    saveWidths(widths)
  }
  edge.addEventListener('pointermove', onMove)
  edge.addEventListener('lostpointercapture', onEnd)
}

/** As they are now: the usual ones depend on the room. */
function drawnWidths(edge: HTMLElement): number[] {
  const cells = [...(edge.closest('[role="row"]')?.querySelectorAll<HTMLElement>('[data-column]') ?? [])]
  const stored = currentWidths(localStorage.getItem(STORED_COLUMNS))
  return COLUMNS.map((_, index) => {
    const width = cells[index]?.getBoundingClientRect().width ?? 0
    return width === 0 ? (stored[index] ?? NARROWEST) : clamp(width)
  })
}
