import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '../lib/cx.ts'
import styles from './EmptyState.module.css'
import { Icon } from './Icon.tsx'
import poolBarStyles from './PoolBar.module.css'

type Props = {
  title: string
  /** One sentence: what this is, or what to do next. */
  text: ReactNode
  /** Else a ghost pool bar is drawn. */
  icon?: LucideIcon
  danger?: boolean
  /** Buttons: one primary at most. */
  children?: ReactNode
}

const GHOSTS = [5, 4, 2]

/** First run, empty folder, no result and error: the same frame, different words. */
export function EmptyState({ title, text, icon, danger = false, children }: Props) {
  return (
    <div className={styles.empty} data-list-focus="empty" tabIndex={-1}>
      {icon ? <Icon icon={icon} size={24} className={danger ? 't-danger' : 'subtle'} /> : <GhostPool />}
      <h2 className={cx(icon && styles.near)}>{title}</h2>
      <p>{text}</p>
      {children && <div className="hstack flex-wrap justify-center">{children}</div>}
    </div>
  )
}

const GhostPool = () => (
  <div className={`${poolBarStyles.pool} ${poolBarStyles.height12}`} aria-hidden>
    {GHOSTS.map((width) => (
      <span key={width} className={`${poolBarStyles.segment} ${poolBarStyles.ghost}`} style={{ flexGrow: width }} />
    ))}
  </div>
)
