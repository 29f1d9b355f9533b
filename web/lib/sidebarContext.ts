import { createContext, use } from 'react'

export type SidebarControl = {
  /** Opens the sidebar as a sheet, on a narrow screen. */
  openSheet: () => void
}

export const SidebarContext = createContext<SidebarControl>({ openSheet: () => undefined })

export const useSidebarControl = (): SidebarControl => use(SidebarContext)
