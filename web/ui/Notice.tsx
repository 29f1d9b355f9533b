import { CircleAlert, Info, type LucideIcon, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '../lib/cx.ts'
import { Icon } from './Icon.tsx'
import styles from './Notice.module.css'

type Tone = 'neutral' | 'warning' | 'danger'
type Props = {
  tone?: Tone
  icon?: LucideIcon /** At most one small button. */
  action?: ReactNode
  children: ReactNode
}

const TONE = { neutral: '', warning: styles.warning, danger: styles.danger }
const ICONS: Record<Tone, LucideIcon> = { neutral: Info, warning: TriangleAlert, danger: CircleAlert }

export function Notice({ tone = 'neutral', icon, action, children }: Props) {
  return (
    <div className={cx(styles.notice, TONE[tone])} role={tone === 'danger' ? 'alert' : undefined}>
      <Icon icon={icon ?? ICONS[tone]} />
      <div className="min-w-0 grow wrap-anywhere">{children}</div>
      {action}
    </div>
  )
}
