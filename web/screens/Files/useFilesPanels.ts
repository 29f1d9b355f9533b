import { useMemo, useState } from 'react'
import { useIsMobile } from '../../lib/useMediaQuery.ts'
import { useStoredChoice } from './storedChoice.ts'

export type FilesDialog =
  | { readonly kind: 'move' | 'groupCloud' | 'delete'; readonly ids: readonly string[] }
  | { readonly kind: 'emptyTrash' | 'shortcuts' }

type Panels = {
  /** The row whose name is a field now. */
  readonly renaming: string | null
  readonly isCreating: boolean
  readonly menu: { readonly at: { x: number; y: number }; readonly ids: readonly string[] } | null
  readonly dialog: FilesDialog | null
  /** Cut rows, waiting to be pasted into a folder. */
  readonly cut: readonly string[]
}

const CLOSED: Panels = { renaming: null, isCreating: false, menu: null, dialog: null, cut: [] }

/** What is open beside and above the list. */
export function useFilesPanels() {
  const [state, setState] = useState(CLOSED)
  const isMobile = useIsMobile()
  const [rail, keepRail] = useStoredChoice('files-details', 'closed', ['open', 'closed'])
  const [hasSheet, setSheet] = useState(false)
  const isDetailsOpen = isMobile ? hasSheet : rail === 'open'
  return useMemo(() => {
    const set = (patch: Partial<Panels>) => setState((now) => ({ ...now, ...patch }))
    const setDetails = (isOpen: boolean) => (isMobile ? setSheet(isOpen) : keepRail(isOpen ? 'open' : 'closed'))
    return { ...state, set, isDetailsOpen, setDetails }
  }, [state, isMobile, isDetailsOpen, keepRail])
}

export type FilesPanels = ReturnType<typeof useFilesPanels>
