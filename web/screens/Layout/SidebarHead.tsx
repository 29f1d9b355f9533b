import { PanelLeft } from 'lucide-react'
import { messages } from '../../lib/messages.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { Logo } from '../../ui/Logo.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'

const { expand, collapse, title, toggleKeys } = messages.sidebar

type Props = { collapsed: boolean; onToggle: () => void }

export function SidebarHead({ collapsed, onToggle }: Props) {
  if (collapsed) {
    return (
      <div className="sb-head">
        <Tooltip text={expand} keys={toggleKeys} side="right">
          <button type="button" className="btn ghost icon" aria-label={expand} aria-expanded={false} onClick={onToggle}>
            <Logo />
          </button>
        </Tooltip>
      </div>
    )
  }
  return (
    <div className="sb-head">
      <Logo />
      <span className="brand">{title}</span>
      <IconButton label={collapse} keys={toggleKeys} size="sm" icon={PanelLeft} aria-expanded onClick={onToggle} />
    </div>
  )
}
