import type { LucideIcon } from 'lucide-react'
import type { ButtonHTMLAttributes, MouseEvent, Ref } from 'react'
import { cx } from '../lib/cx.ts'
import styles from './Button.module.css'
import { Icon } from './Icon.tsx'

export type ButtonVariant = 'default' | 'primary' | 'ghost' | 'accent' | 'danger' | 'dangerSolid'
export type ButtonSize = 'sm' | 'md' | 'lg'

const VARIANT: Record<ButtonVariant, string | undefined> = {
  default: '',
  primary: styles.primary,
  ghost: styles.ghost,
  accent: `${styles.ghost} ${styles.accent}`,
  danger: `${styles.ghost} ${styles.danger}`,
  dangerSolid: styles.dangerSolid,
}

const SIZE: Record<ButtonSize, string | undefined> = { sm: styles.sm, md: '', lg: styles.lg }

export type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'type'> & {
  /** One primary per view; dangerSolid only where something irreversible is confirmed. */
  variant?: ButtonVariant
  size?: ButtonSize
  icon?: LucideIcon
  /** Shows a spinner before the text and takes no clicks. It keeps the focus, which a disabled button loses. */
  busy?: boolean
  /** As wide as its container. */
  block?: boolean
  /** A pressed look, for a filter that is set. */
  active?: boolean
  type?: 'button' | 'submit'
  ref?: Ref<HTMLButtonElement>
}

/** The class names of a button, for links that look like one. */
export function buttonClass(variant: ButtonVariant = 'default', size: ButtonSize = 'md', extra?: string): string {
  return cx(styles.btn, VARIANT[variant], SIZE[size], extra)
}

/** Also of Enter in a field of its form, which clicks it. */
const ignore = (event: MouseEvent) => event.preventDefault()

export function Button(props: ButtonProps) {
  const { variant, size, icon, busy = false, block, active, className, children, ...others } = props
  const { disabled, type, onClick, ...rest } = others
  return (
    <button
      {...rest}
      type={type ?? 'button'}
      className={buttonClass(variant, size, cx(block && styles.full, active && styles.on, className))}
      disabled={disabled}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={busy ? ignore : onClick}
    >
      {busy ? (
        <span className={styles.spin} aria-hidden />
      ) : (
        icon && <Icon icon={icon} size={size === 'sm' ? 14 : 16} />
      )}
      {children}
    </button>
  )
}
