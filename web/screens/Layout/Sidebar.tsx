import { Suspense } from 'react'
import { graphql, useFragment } from 'react-relay'
import type { Sidebar_viewer$key } from '../../__generated__/Sidebar_viewer.graphql.ts'
import { late } from '../../lib/lateCode.ts'
import styles from './Layout.module.css'
import { messages } from './messages.ts'
import { SidebarFoot } from './SidebarFoot.tsx'
import { SidebarHead } from './SidebarHead.tsx'
import { SidebarNav } from './SidebarNav.tsx'
import type { SidebarState } from './useSidebar.ts'

const SidebarSheet = late(() => import('./SidebarSheet.tsx').then((file) => file.SidebarSheet))

type Props = { viewer: Sidebar_viewer$key; state: SidebarState }

/** 16rem, or 3rem of icons; on a narrow screen a sheet of 18rem. */
export function Sidebar({ viewer, state }: Props) {
  const user = useFragment(
    graphql`
      fragment Sidebar_viewer on User {
        ...SidebarFoot_viewer
      }
    `,
    viewer,
  )
  const { isMobile, collapsed: wantsCollapsed, sheetOpen, closeSheet, toggle } = state
  const collapsed = wantsCollapsed && !isMobile
  const content = (
    <>
      <SidebarHead collapsed={collapsed} onToggle={isMobile ? closeSheet : toggle} />
      <SidebarNav collapsed={collapsed} onUpload={closeSheet} />
      <SidebarFoot viewer={user} collapsed={collapsed} />
    </>
  )
  if (!isMobile) {
    return (
      <aside
        className={collapsed ? `${styles.sidebar} ${styles.collapsed}` : styles.sidebar}
        aria-label={messages.label}
      >
        {content}
      </aside>
    )
  }
  if (!sheetOpen) return null
  return (
    <Suspense>
      <SidebarSheet onClose={closeSheet}>{content}</SidebarSheet>
    </Suspense>
  )
}
