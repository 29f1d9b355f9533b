import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '../lib/cx.ts'
import { Icon } from './Icon.tsx'

type Tone = 'neutral' | 'accent' | 'success' | 'warning' | 'danger' | 'line'
type Props = { tone?: Tone; icon?: LucideIcon; dot?: boolean; children: ReactNode }

/** Give semantic tones an icon or a dot: colour never speaks alone. */
export function Badge({ tone = 'neutral', icon, dot = false, children }: Props) {
  return (
    <span className={cx('badge', tone !== 'neutral' && tone)}>
      {dot && <span className="dot" />}
      {icon && <Icon icon={icon} size={12} />}
      {children}
    </span>
  )
}
