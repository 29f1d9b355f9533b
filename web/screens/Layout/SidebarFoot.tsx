import { graphql, useFragment } from 'react-relay'
import { Link } from 'react-router'
import type { SidebarFoot_viewer$key } from '../../__generated__/SidebarFoot_viewer.graphql.ts'
import { sharedMessages } from '../../lib/messages.ts'
import styles from './Layout.module.css'
import { PoolSummary } from './PoolSummary.tsx'
import { UserMenu } from './UserMenu.tsx'

type Props = { viewer: SidebarFoot_viewer$key; collapsed: boolean }

export function SidebarFoot({ viewer, collapsed }: Props) {
  const user = useFragment(
    graphql`
      fragment SidebarFoot_viewer on User {
        ...PoolSummary_viewer
        ...UserMenu_viewer
      }
    `,
    viewer,
  )
  return (
    <div className={styles.foot}>
      {!collapsed && (
        <>
          <PoolSummary viewer={user} />
          <div className={styles.line} />
          <Link to="/privacy-policy" className={styles.privacy}>
            {sharedMessages.common.privacyPolicy}
          </Link>
        </>
      )}
      <UserMenu viewer={user} collapsed={collapsed} />
    </div>
  )
}
