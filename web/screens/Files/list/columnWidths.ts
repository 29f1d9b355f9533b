import { writeChoice } from '../../../lib/storedChoice.ts'
import { STORED_COLUMNS } from './columns.ts'

/** The columns after the name, in their order. Each can be hidden, and has a width that can be changed. */
export const COLUMNS = ['stored', 'modified', 'size'] as const

export const NARROWEST = 64
export const WIDEST = 480

/** The widths that columns have before they are changed, while the details are closed. */
const USUAL = [232, 152, 104] as const

/** Widths in pixels, in the order of the columns; negative: hidden. The usual ones without a choice that is understood. */
export function readWidths(text: string | null): number[] {
  const widths = (text?.split(';')[2] ?? '').split(',').map(Number)
  const isValid = (width: number) => Math.abs(width) >= NARROWEST && Math.abs(width) <= WIDEST
  return widths.length === COLUMNS.length && widths.every(isValid) ? widths : [...USUAL]
}

/** The text that is stored for these widths. */
export function columnsText(widths: readonly number[]): string {
  const hidden = COLUMNS.filter((_, index) => (widths[index] ?? 0) < 0)
  return [hidden.join(' '), tracksOf(widths), widths.map(Math.round).join(',')].join(';')
}

/** `null`: the usual ones again. */
export function saveWidths(widths: readonly number[] | null): void {
  writeChoice(STORED_COLUMNS, widths ? columnsText(widths) : '')
}

/** The tracks of a row. Where there is no room for all, the name keeps 160 pixels and the others become narrower. */
function tracksOf(widths: readonly number[]): string {
  const shown = widths.filter((width) => width > 0).map((width) => `minmax(${NARROWEST}px, ${Math.round(width)}px)`)
  return ['40px minmax(160px, 1fr)', ...shown, '36px'].join(' ')
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
  const start = widths[index] ?? NARROWEST
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
  const stored = readWidths(localStorage.getItem(STORED_COLUMNS))
  return stored.map((width, index) => (width < 0 ? width : clamp(cells[index]?.getBoundingClientRect().width ?? width)))
}
