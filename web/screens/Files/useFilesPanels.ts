import { useCallback, useMemo, useState } from 'react'
import type { AccountAction } from '../../features/Connect/AccountDialog.tsx'
import type { DetailsTab } from '../../features/Details/tabs.ts'
import { useStoredChoice } from '../../lib/storedChoice.ts'
import { useIsMobile } from '../../lib/useMediaQuery.ts'

export type FilesDialog =
  | { readonly kind: 'move' | 'copy' | 'groupCloud' | 'delete' | 'tags'; readonly ids: readonly string[] }
  | { readonly kind: 'share' | 'protect' | 'uploadLink'; readonly id: string; readonly name: string }
  | { readonly kind: 'account'; readonly action: AccountAction; readonly id: string }
  | { readonly kind: 'emptyTrash' | 'shortcuts' | 'columns' }
  | { readonly kind: 'newDocument'; readonly ending: '.md' | '.txt' }

type Panels = {
  /** The row whose name is a field now. */
  readonly renaming: string | null
  readonly isCreating: boolean
  readonly menu: { readonly at: { x: number; y: number }; readonly ids: readonly string[] } | null
  readonly dialog: FilesDialog | null
  /** Cut rows, waiting to be pasted into a folder. */
  readonly cut: readonly string[]
  /** Rows to be copied, likewise. */
  readonly copied: readonly string[]
}

const CLOSED: Panels = { renaming: null, isCreating: false, menu: null, dialog: null, cut: [], copied: [] }

/** The panels, menus and dialogs that are open. */
export function useFilesPanels() {
  const [state, setState] = useState(CLOSED)
  const isMobile = useIsMobile()
  const [rail, keepRail] = useStoredChoice('files-details', 'closed', ['open', 'closed'])
  const [hasSheet, setSheet] = useState(false)
  const [detailsTab, setDetailsTab] = useState<DetailsTab>('details')
  const isDetailsOpen = isMobile ? hasSheet : rail === 'open'
  const set = useCallback((patch: Partial<Panels>) => setState((now) => ({ ...now, ...patch })), [])
  return useMemo(() => {
    const setDetails = (isOpen: boolean, tab: DetailsTab = 'details') => {
      if (isOpen) setDetailsTab(tab)
      if (isMobile) setSheet(isOpen)
      else keepRail(isOpen ? 'open' : 'closed')
    }
    return { ...state, set, isDetailsOpen, setDetails, detailsTab, setDetailsTab }
  }, [state, set, isMobile, isDetailsOpen, keepRail, detailsTab])
}

export type FilesPanels = ReturnType<typeof useFilesPanels>
