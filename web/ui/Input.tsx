import { CircleAlert } from 'lucide-react'
import { type InputHTMLAttributes, type Ref, useId } from 'react'
import { cx } from '../lib/cx.ts'
import { Icon } from './Icon.tsx'
import styles from './Input.module.css'

type InputProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'size'> & {
  invalid?: boolean
  /** 40 px high, for the sign-in pages. */
  large?: boolean
  ref?: Ref<HTMLInputElement>
}

export function Input({ invalid = false, large = false, className, ...rest }: InputProps) {
  return (
    <input
      {...rest}
      className={cx(styles.input, large && styles.lg, invalid && styles.err, className)}
      aria-invalid={invalid || undefined}
    />
  )
}

type TextFieldProps = InputProps & { label: string; hint?: string; error?: string | undefined }

/** Label, input, and under it the error (announced) or else the hint. */
export function TextField({ label, hint, error, id, className, ...rest }: TextFieldProps) {
  const generated = useId()
  const inputId = id ?? generated
  const noteId = error || hint ? `${inputId}-note` : undefined
  return (
    <div className={cx(styles.field, className)}>
      <label className={styles.label} htmlFor={inputId}>
        {label}
      </label>
      <Input {...rest} id={inputId} invalid={Boolean(error)} aria-describedby={noteId} />
      {error ? <FieldError id={noteId}>{error}</FieldError> : hint && <Hint id={noteId}>{hint}</Hint>}
    </div>
  )
}

const Hint = ({ id, children }: { id: string | undefined; children: string }) => (
  <p id={id} className={styles.hint}>
    {children}
  </p>
)

/** The error message under its field; announced when it appears. */
export function FieldError({ id, children }: { id: string | undefined; children: string }) {
  return (
    <p id={id} className={`${styles.hint} ${styles.err}`} role="alert">
      <Icon icon={CircleAlert} size={14} />
      {children}
    </p>
  )
}
