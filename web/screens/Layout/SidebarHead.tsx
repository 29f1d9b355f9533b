import { PanelLeft } from 'lucide-react'
import brandStyles from '../../ui/Brand.module.css'
import buttonStyles from '../../ui/Button.module.css'
import { IconButton } from '../../ui/IconButton.tsx'
import { Logo } from '../../ui/Logo.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import styles from './Layout.module.css'
import { messages } from './messages.ts'

const { expand, collapse, title, toggleKeys } = messages

type Props = { collapsed: boolean; onToggle: () => void }

export function SidebarHead({ collapsed, onToggle }: Props) {
  if (collapsed) {
    return (
      <div className={styles.head}>
        <Tooltip text={expand} keys={toggleKeys} side="right">
          <button
            type="button"
            className={`${buttonStyles.btn} ${buttonStyles.ghost} ${buttonStyles.icon}`}
            aria-label={expand}
            aria-expanded={false}
            onClick={onToggle}
          >
            <Logo />
          </button>
        </Tooltip>
      </div>
    )
  }
  return (
    <div className={styles.head}>
      <Logo />
      <span className={brandStyles.brand}>{title}</span>
      <IconButton label={collapse} keys={toggleKeys} size="sm" icon={PanelLeft} aria-expanded onClick={onToggle} />
    </div>
  )
}
