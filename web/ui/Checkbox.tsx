import type { InputHTMLAttributes } from 'react'
import { cx } from '../lib/cx.ts'
import styles from './Checkbox.module.css'

type Props = Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'checked' | 'onChange'> & {
  /** 'mixed': some of what it stands for is checked. */
  checked: boolean | 'mixed'
  onChange: (checked: boolean) => void
  /** Needed where no visible label wraps it. */
  label?: string
}

export function Checkbox({ checked, onChange, label, className, ...rest }: Props) {
  return (
    <input
      {...rest}
      type="checkbox"
      className={cx(styles.check, checked === 'mixed' && styles.mixed, className)}
      checked={checked === true}
      ref={(element) => {
        if (element) element.indeterminate = checked === 'mixed'
      }}
      aria-label={label}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  )
}
