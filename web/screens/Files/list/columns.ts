import type { CSSProperties } from 'react'
import { useStoredText } from '../../../lib/storedChoice.ts'

/** The columns after the name, in their order. Each can be hidden, and has a width that can be changed. */
export const COLUMNS = ['stored', 'modified', 'size'] as const

/** In this browser: the widths of the columns in pixels, separated by commas; negative: hidden. */
export const STORED_COLUMNS = 'files-columns'

export const NARROWEST = 64
export const WIDEST = 480

/** The stored widths; null: the usual ones. */
export function readWidths(text: string | null): number[] | null {
  const widths = text?.split(',').map(Number) ?? []
  const areValid = widths.every((width) => Math.abs(width) >= NARROWEST && Math.abs(width) <= WIDEST)
  return widths.length === COLUMNS.length && areValid ? widths : null
}

/** The tracks of a row. Where there is no room for all, the name keeps 160 pixels and the others become narrower. */
export function tracksOf(widths: readonly number[]): string {
  const shown = widths.filter((width) => width > 0).map((width) => `minmax(${NARROWEST}px, ${width}px)`)
  return `40px minmax(160px, 1fr) ${shown.join(' ')} 36px`
}

/** Attributes of an element whose lists have the columns that were chosen in this browser. */
export function useColumns(): { readonly 'data-hidden'?: string; readonly style?: CSSProperties } {
  const widths = readWidths(useStoredText(STORED_COLUMNS))
  if (!widths) return {}
  return {
    'data-hidden': COLUMNS.filter((_, index) => (widths[index] ?? 0) < 0).join(' '),
    style: { '--tracks': tracksOf(widths) } as CSSProperties,
  }
}
