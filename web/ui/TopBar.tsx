import { Menu } from 'lucide-react'
import type { ReactNode } from 'react'
import { messages } from '../lib/messages.ts'
import { useSidebarControl } from '../lib/sidebarContext.ts'
import { useIsMobile } from '../lib/useMediaQuery.ts'
import { IconButton } from './IconButton.tsx'
import { ThemeButton } from './ThemeButton.tsx'

type Props = {
  /** Shown on a narrow screen, where there is no room for breadcrumbs. */
  title: string
  /** What stands at the start on a wide screen: breadcrumbs, search. */
  children: ReactNode
  /** Buttons before the theme button, on a wide screen. */
  actions?: ReactNode
  /** Buttons at the end, on a narrow screen. */
  mobileActions?: ReactNode
}

/** The 56 px bar above every screen of the layout. */
export function TopBar({ title, children, actions, mobileActions }: Props) {
  const { openSheet } = useSidebarControl()
  if (useIsMobile()) {
    return (
      <header className="topbar">
        <IconButton label={messages.sidebar.open} icon={Menu} iconSize={20} onClick={openSheet} />
        <h1 className="ttl grow ell pl-1">{title}</h1>
        {mobileActions}
      </header>
    )
  }
  return (
    <header className="topbar">
      {children}
      <span className="ml-auto" />
      {actions}
      <ThemeButton />
    </header>
  )
}
