import { useEffect, useMemo, useState } from 'react'
import { useLocation } from 'react-router'
import { readCookie, writeCookie } from '../../lib/cookie.ts'
import type { SidebarControl } from '../../lib/sidebarContext.ts'
import { useIsMobile } from '../../lib/useMediaQuery.ts'

const COOKIE = 'sidebar_state'
const COOKIE_DAYS = 7

export type SidebarState = {
  isMobile: boolean
  /** Wide screens: only icons. */
  collapsed: boolean
  /** Narrow screens: the sheet is shown. */
  sheetOpen: boolean
  toggle: () => void
  closeSheet: () => void
  control: SidebarControl
}

/** Remembers for 7 days whether the sidebar is expanded. `toggle` is for it, or the sheet. */
export function useSidebar(): SidebarState {
  const isMobile = useIsMobile()
  const [collapsed, setCollapsed] = useState(() => readCookie(COOKIE) === 'false')
  const [sheetOpen, setSheetOpen] = useState(false)
  const { pathname } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: arriving at a screen closes the sheet
  useEffect(() => setSheetOpen(false), [pathname])

  const toggle = useMemo(() => {
    if (isMobile) return () => setSheetOpen((open) => !open)
    return () => {
      writeCookie(COOKIE, String(collapsed), COOKIE_DAYS)
      setCollapsed(!collapsed)
    }
  }, [isMobile, collapsed])
  const control = useMemo(() => ({ openSheet: () => setSheetOpen(true) }), [])
  return {
    isMobile,
    collapsed,
    sheetOpen: isMobile && sheetOpen,
    toggle,
    closeSheet: () => setSheetOpen(false),
    control,
  }
}
