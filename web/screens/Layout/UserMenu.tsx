import { ChevronsUpDown, LogOut, Moon, Sun } from 'lucide-react'
import { graphql, useFragment } from 'react-relay'
import type { UserMenu_viewer$key } from '../../__generated__/UserMenu_viewer.graphql.ts'
import { sharedMessages } from '../../lib/messages.ts'
import { chooseTheme, useTheme } from '../../lib/theme.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Menu } from '../../ui/Menu.tsx'
import type { MenuEntry } from '../../ui/MenuSurface.tsx'
import styles from './Layout.module.css'
import { messages } from './messages.ts'
import { useLogout } from './useLogout.ts'

type Props = { viewer: UserMenu_viewer$key; collapsed: boolean }

/** Who is signed in; opens the theme switch and Sign out. */
export function UserMenu({ viewer, collapsed }: Props) {
  const { fullName, email, avatarUrl } = useFragment(
    graphql`
      fragment UserMenu_viewer on User {
        fullName
        email
        avatarUrl
      }
    `,
    viewer,
  )
  const items = useUserMenuItems()
  const label = messages.userMenu(fullName)
  return (
    <Menu
      label={label}
      items={items}
      trigger={(props) => (
        <button {...props} type="button" className={styles.user} aria-label={collapsed ? label : undefined}>
          <Avatar name={fullName} src={avatarUrl} size={collapsed ? 32 : 40} />
          {!collapsed && (
            <>
              <span className="grow">
                <b className="ell">{fullName}</b>
                <span className="ell meta subtle block">{email}</span>
              </span>
              <Icon icon={ChevronsUpDown} size={14} />
            </>
          )}
        </button>
      )}
    />
  )
}

function useUserMenuItems(): MenuEntry[] {
  const isDark = useTheme() === 'dark'
  const logout = useLogout()
  return [
    {
      id: 'theme',
      label: isDark ? sharedMessages.theme.light : sharedMessages.theme.dark,
      icon: isDark ? Sun : Moon,
      onSelect: () => chooseTheme(isDark ? 'light' : 'dark'),
    },
    'line',
    { id: 'signOut', label: messages.signOut, icon: LogOut, onSelect: logout },
  ]
}
