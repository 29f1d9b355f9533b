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
import { messages } from '../../lib/messages.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'

const words = messages.sidebar

type Entry = readonly [to: string, label: string, icon: LucideIcon]

const BROWSE: readonly Entry[] = [
  ['/dashboard', words.dashboard, LayoutDashboard],
  ['/file-manager', words.allFiles, Files],
  ['/file-manager/my-drive', words.myDrive, Folder],
  ['/file-manager/shared', words.shared, Users],
  ['/file-manager/starred', words.starred, Star],
  ['/file-manager/trash', words.trash, Trash2],
]
const SETTINGS: readonly Entry[] = [
  ['/cloud-integration', words.cloudIntegration, Plug],
  ['/group-cloud', words.groupClouds, Layers],
  ['/key-management', words.apiKeys, KeyRound],
  ['/settings', words.settings, Settings2],
]

type Props = { collapsed: boolean /** Before the dialog opens. */; onUpload: () => void }

export function SidebarNav({ collapsed, onUpload }: Props) {
  const { openUploadDialog } = useTransfers()
  const upload = () => {
    onUpload()
    openUploadDialog()
  }
  return (
    <div className="sb-body">
      {collapsed ? (
        <IconButton label={words.upload} icon={Upload} variant="primary" tooltipSide="right" onClick={upload} />
      ) : (
        <Button variant="primary" block icon={Upload} onClick={upload}>
          {words.upload}
        </Button>
      )}
      <NavGroup label={words.browse} entries={BROWSE} collapsed={collapsed} />
      <NavGroup label={words.settings} entries={SETTINGS} collapsed={collapsed} />
    </div>
  )
}

type GroupProps = { label: string; entries: readonly Entry[]; collapsed: boolean }

function NavGroup({ label, entries, collapsed }: GroupProps) {
  return (
    <div className="sb-group">
      {!collapsed && <h2>{label}</h2>}
      <nav className="nav" aria-label={label}>
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
