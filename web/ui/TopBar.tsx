import { Menu } from 'lucide-react'
import type { ReactNode } from 'react'
import { sharedMessages } from '../lib/messages.ts'
import { useSidebarControl } from '../lib/sidebarContext.ts'
import { useIsMobile } from '../lib/useMediaQuery.ts'
import { IconButton } from './IconButton.tsx'
import { ThemeButton } from './ThemeButton.tsx'
import styles from './TopBar.module.css'

type Props = {
  /** Shown on a narrow screen, where there is no room for breadcrumbs. */
  title: string
  /** A line under the title. */
  subtitle?: ReactNode
  /** What stands at the start on a wide screen: breadcrumbs, search. */
  children: ReactNode
  /** Buttons before the theme button, on a wide screen. */
  actions?: ReactNode
  /** Buttons at the end, on a narrow screen. */
  mobileActions?: ReactNode
}

/** The 56 px bar above every screen of the layout. */
export function TopBar({ title, subtitle, children, actions, mobileActions }: Props) {
  const { openSheet } = useSidebarControl()
  if (useIsMobile()) {
    return (
      <header className={styles.bar}>
        <IconButton label={sharedMessages.common.openMenu} icon={Menu} iconSize={20} onClick={openSheet} />
        <div className="grow ps-1">
          <h1 className={`${styles.title} ell`}>{title}</h1>
          {subtitle}
        </div>
        {mobileActions}
      </header>
    )
  }
  return (
    <header className={styles.bar}>
      {children}
      <span className="ms-auto" />
      {actions}
      <ThemeButton />
    </header>
  )
}
