import { type Ref, useId } from 'react'
import { Checkbox } from '../../ui/Checkbox.tsx'
import inputStyles from '../../ui/Input.module.css'
import { TextField } from '../../ui/Input.tsx'
import { PasswordInput } from '../../ui/PasswordInput.tsx'
import { Select } from '../../ui/Select.tsx'
import { EXPIRIES, messages } from './messages.ts'
import styles from './ShareDialog.module.css'
import { dayOf, type Terms, type TermsErrors } from './terms.ts'

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
      <PasswordField {...{ terms, onChange, hasPassword, first }} />
      <div>
        <Select
          label={messages.expires}
          value={terms.expiry}
          options={EXPIRIES}
          placeholder=""
          onChange={(expiry) => onChange({ expiry })}
        />
        {terms.expiry === 'date' && (
          <TextField
            className="mt-2"
            label={messages.date}
            type="date"
            min={dayOf(new Date())}
            value={terms.date}
            error={errors.date}
            onChange={(event) => onChange({ date: event.currentTarget.value })}
          />
        )}
      </div>
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

type PasswordProps = Pick<Props, 'terms' | 'onChange' | 'hasPassword' | 'first'>

function PasswordField({ terms, onChange, hasPassword, first }: PasswordProps) {
  const id = useId()
  return (
    <div className={styles.whole}>
      <label className={inputStyles.label} htmlFor={id}>
        {messages.password}
      </label>
      <PasswordInput
        id={id}
        {...(first && { ref: first })}
        autoComplete="new-password"
        maxLength={1000}
        disabled={terms.isPasswordRemoved}
        value={terms.password}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange({ password: event.currentTarget.value })}
      />
      <p className={inputStyles.hint} id={`${id}-hint`}>
        {hasPassword ? messages.passwordKept : messages.passwordHint}
      </p>
      {hasPassword && (
        <label className="hstack mt-2 w-fit" htmlFor={`${id}-remove`}>
          <Checkbox
            id={`${id}-remove`}
            checked={terms.isPasswordRemoved}
            onChange={(isPasswordRemoved) => onChange({ isPasswordRemoved, password: '' })}
          />
          {messages.removePassword}
        </label>
      )}
    </div>
  )
}
