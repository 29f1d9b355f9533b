import type { LucideIcon } from 'lucide-react'
import type { ButtonHTMLAttributes, Ref } from 'react'
import { cx } from '../lib/cx.ts'
import buttonStyles from './Button.module.css'
import { type ButtonVariant, buttonClass } from './Button.tsx'
import { Icon } from './Icon.tsx'
import { Tooltip, type TooltipSide } from './Tooltip.tsx'

type Props = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'type' | 'children'> & {
  /** Its accessible name, and its tooltip. */
  label: string
  icon: LucideIcon
  iconSize?: 12 | 14 | 16 | 18 | 20 | 24
  variant?: ButtonVariant
  size?: 'sm' | 'md'
  /** Key hint shown in the tooltip, such as "Ctrl B". */
  keys?: string
  tooltipSide?: TooltipSide
  /** The star that is set is filled. */
  filled?: boolean
  ref?: Ref<HTMLButtonElement>
}

export function IconButton({ label, icon, iconSize, variant = 'ghost', size = 'md', keys, filled, ...props }: Props) {
  const { tooltipSide, className, ...rest } = props
  return (
    <Tooltip text={label} {...(keys && { keys })} {...(tooltipSide && { side: tooltipSide })}>
      <button
        {...rest}
        type="button"
        aria-label={label}
        className={cx(buttonClass(variant, size, buttonStyles.icon), className)}
      >
        <Icon icon={icon} {...(iconSize && { size: iconSize })} {...(filled && { filled })} />
      </button>
    </Tooltip>
  )
}
