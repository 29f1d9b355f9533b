import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '../lib/cx.ts'
import styles from './Badge.module.css'
import { Icon } from './Icon.tsx'

type Tone = 'neutral' | 'accent' | 'success' | 'warning' | 'danger' | 'line'
type Props = { tone?: Tone; icon?: LucideIcon; dot?: boolean; children: ReactNode }

const TONE = {
  neutral: '',
  accent: styles.accent,
  success: styles.success,
  warning: styles.warning,
  danger: styles.danger,
  line: styles.line,
}

/** Give semantic tones an icon or a dot: colour never speaks alone. */
export function Badge({ tone = 'neutral', icon, dot = false, children }: Props) {
  return (
    <span className={cx(styles.badge, TONE[tone])} data-tone={tone}>
      {dot && <span className={styles.dot} />}
      {icon && <Icon icon={icon} size={12} />}
      {children}
    </span>
  )
}
