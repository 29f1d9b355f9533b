import {
  Files,
  Folder,
  KeyRound,
  Layers,
  LayoutDashboard,
  type LucideIcon,
  Plug,
  Settings2,
  Star,
  Trash2,
  Upload,
  Users,
} from 'lucide-react'
import { NavLink } from 'react-router'
import { useTransfers } from '../../features/Transfers/transfersContext.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import styles from './Layout.module.css'
import { messages } from './messages.ts'

type Entry = readonly [to: string, label: string, icon: LucideIcon]

/** Screens, as the sidebar lists them. */
export const BROWSE: readonly Entry[] = [
  ['/dashboard', messages.dashboard, LayoutDashboard],
  ['/file-manager', messages.allFiles, Files],
  ['/file-manager/my-drive', messages.myDrive, Folder],
  ['/file-manager/shared', messages.shared, Users],
  ['/file-manager/starred', messages.starred, Star],
  ['/file-manager/trash', messages.trash, Trash2],
]
export const SETTINGS: readonly Entry[] = [
  ['/cloud-integration', messages.cloudIntegration, Plug],
  ['/group-cloud', messages.groupClouds, Layers],
  ['/key-management', messages.apiKeys, KeyRound],
  ['/settings', messages.settings, Settings2],
]

type Props = { collapsed: boolean /** Before the dialog opens. */; onUpload: () => void }

export function SidebarNav({ collapsed, onUpload }: Props) {
  const { openUploadDialog } = useTransfers()
  const upload = () => {
    onUpload()
    openUploadDialog()
  }
  return (
    <div className={styles.body}>
      {collapsed ? (
        <IconButton label={messages.upload} icon={Upload} variant="primary" tooltipSide="right" onClick={upload} />
      ) : (
        <Button variant="primary" block icon={Upload} onClick={upload}>
          {messages.upload}
        </Button>
      )}
      <NavGroup label={messages.browse} entries={BROWSE} collapsed={collapsed} />
      <NavGroup label={messages.settings} entries={SETTINGS} collapsed={collapsed} />
    </div>
  )
}

type GroupProps = { label: string; entries: readonly Entry[]; collapsed: boolean }

function NavGroup({ label, entries, collapsed }: GroupProps) {
  return (
    <div className={styles.group}>
      {!collapsed && <h2>{label}</h2>}
      <nav className={styles.nav} aria-label={label}>
        {entries.map(([to, text, icon]) => (
          <NavItem key={to} {...{ to, label: text, icon, collapsed }} />
        ))}
      </nav>
    </div>
  )
}

type ItemProps = { to: string; label: string; icon: LucideIcon; collapsed: boolean }

function NavItem({ to, label, icon, collapsed }: ItemProps) {
  const link = (
    <NavLink to={to} end aria-label={collapsed ? label : undefined}>
      <Icon icon={icon} />
      {!collapsed && label}
    </NavLink>
  )
  if (!collapsed) return link
  return (
    <Tooltip text={label} side="right">
      {link}
    </Tooltip>
  )
}
