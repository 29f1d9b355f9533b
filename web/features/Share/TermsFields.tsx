import { type Ref, useId } from 'react'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { TextField } from '../../ui/Input.tsx'
import { PasswordInput } from '../../ui/PasswordInput.tsx'
import { Select } from '../../ui/Select.tsx'
import { dayOf, type Terms, type TermsErrors } from './terms.ts'
import { EXPIRIES, words } from './words.ts'

type Props = {
  readonly terms: Terms
  readonly errors: TermsErrors
  readonly onChange: (change: Partial<Terms>) => void
  /** The link has one already. */
  readonly hasPassword?: boolean
  readonly first?: Ref<HTMLInputElement> | undefined
}

/** Password, end and limit of a link: each may be left as it is. */
export function TermsFields({ terms, errors, onChange, hasPassword = false, first }: Props) {
  return (
    <div className="terms">
      <PasswordField {...{ terms, onChange, hasPassword, first }} />
      <div>
        <Select
          label={words.expires}
          value={terms.expiry}
          options={EXPIRIES}
          placeholder=""
          onChange={(expiry) => onChange({ expiry })}
        />
        {terms.expiry === 'date' && (
          <TextField
            className="mt-2"
            label={words.date}
            type="date"
            min={dayOf(new Date())}
            value={terms.date}
            error={errors.date}
            onChange={(event) => onChange({ date: event.currentTarget.value })}
          />
        )}
      </div>
      <TextField
        label={words.limit}
        inputMode="numeric"
        autoComplete="off"
        placeholder={words.noLimit}
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
    <div className="whole">
      <label className="label" htmlFor={id}>
        {words.password}
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
      <p className="hint" id={`${id}-hint`}>
        {hasPassword ? words.passwordKept : words.passwordHint}
      </p>
      {hasPassword && (
        <label className="hstack mt-2 w-fit" htmlFor={`${id}-remove`}>
          <Checkbox
            id={`${id}-remove`}
            checked={terms.isPasswordRemoved}
            onChange={(isPasswordRemoved) => onChange({ isPasswordRemoved, password: '' })}
          />
          {words.removePassword}
        </label>
      )}
    </div>
  )
}
