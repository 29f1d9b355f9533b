import type { LucideIcon } from 'lucide-react'
import { cx } from '../lib/cx.ts'

type Props = {
  icon: LucideIcon
  /** Pixels; the stroke follows the size as the look says. */
  size?: 12 | 14 | 16 | 18 | 20 | 24
  /** Only the star that is set is filled. */
  filled?: boolean
  className?: string | undefined
}

/** Decorative: there is always a text or a label next to it. */
export function Icon({ icon: Glyph, size = 16, filled = false, className }: Props) {
  return <Glyph aria-hidden className={cx('i', size !== 16 && `s${size}`, filled && 'filled', className)} />
}
