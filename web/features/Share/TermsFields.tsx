import type { Ref } from 'react'
import { TextField } from '../../ui/Input.tsx'
import { ExpiryField, LinkPasswordField } from './linkFields.tsx'
import { EXPIRIES, messages } from './messages.ts'
import styles from './ShareDialog.module.css'
import type { Terms, TermsErrors } from './terms.ts'

type Props = {
  readonly terms: Terms
  readonly errors: TermsErrors
  readonly onChange: (change: Partial<Terms>) => void
  /** The link already has one. */
  readonly hasPassword?: boolean
  readonly first?: Ref<HTMLInputElement> | undefined
}

/** Password, expiry and download limit of a link; all optional. */
export function TermsFields({ terms, errors, onChange, hasPassword = false, first }: Props) {
  return (
    <div className={styles.terms}>
      <LinkPasswordField value={terms} ref={first} className={styles.whole} {...{ hasPassword, onChange }} />
      <ExpiryField value={terms} options={EXPIRIES} error={errors.date} onChange={onChange} />
      <TextField
        label={messages.limit}
        inputMode="numeric"
        autoComplete="off"
        placeholder={messages.noLimit}
        value={terms.limit}
        error={errors.limit}
        onChange={(event) => onChange({ limit: event.currentTarget.value.trim() })}
      />
    </div>
  )
}
