import { CircleAlert, Info, type LucideIcon, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '../lib/cx.ts'
import { Icon } from './Icon.tsx'

type Tone = 'neutral' | 'warning' | 'danger'
type Props = {
  tone?: Tone
  icon?: LucideIcon /** At most one small button. */
  action?: ReactNode
  children: ReactNode
}

const ICONS: Record<Tone, LucideIcon> = { neutral: Info, warning: TriangleAlert, danger: CircleAlert }

export function Notice({ tone = 'neutral', icon, action, children }: Props) {
  return (
    <div className={cx('notice', tone !== 'neutral' && tone)} role={tone === 'danger' ? 'alert' : undefined}>
      <Icon icon={icon ?? ICONS[tone]} />
      <div className="grow">{children}</div>
      {action}
    </div>
  )
}
