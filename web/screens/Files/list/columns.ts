import type { CSSProperties } from 'react'
import { useStoredText } from '../../../lib/storedChoice.ts'

/** In this browser: the names of the hidden columns, a semicolon, and the tracks of a row (written by columnWidths.ts). */
export const STORED_COLUMNS = 'files-columns'

/** Attributes of an element whose lists have the columns that were chosen in this browser. */
export function useColumns() {
  const [hidden, tracks] = useStoredText(STORED_COLUMNS)?.split(';') ?? []
  return { 'data-hidden': hidden, style: { '--tracks': tracks || undefined } as CSSProperties }
}
