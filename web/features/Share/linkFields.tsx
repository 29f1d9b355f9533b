import { type Ref, useId } from 'react'
import { Checkbox } from '../../ui/Checkbox.tsx'
import inputStyles from '../../ui/Input.module.css'
import { TextField } from '../../ui/Input.tsx'
import { PasswordInput } from '../../ui/PasswordInput.tsx'
import { Select, type SelectOption } from '../../ui/Select.tsx'
import { messages } from './messages.ts'
import { dayOf } from './terms.ts'

// Settings that links to files and links for uploads have in common.

/** "never", a number of days from now, or "date". `date`: YYYY-MM-DD; counts when `expiry` is "date". */
type Expiry = { readonly expiry: string; readonly date: string }

type ExpiryProps = {
  readonly value: Expiry
  readonly options: readonly SelectOption[]
  readonly error: string | undefined
  readonly onChange: (change: Partial<Expiry>) => void
}

export function ExpiryField({ value, options, error, onChange }: ExpiryProps) {
  return (
    <div>
      <Select
        label={messages.expires}
        value={value.expiry}
        options={options}
        placeholder=""
        onChange={(expiry) => onChange({ expiry })}
      />
      {value.expiry === 'date' && (
        <TextField
          className="mt-2"
          label={messages.date}
          type="date"
          min={dayOf(new Date())}
          value={value.date}
          error={error}
          onChange={(event) => onChange({ date: event.currentTarget.value })}
        />
      )}
    </div>
  )
}

/** `isPasswordRemoved`: the existing password is to be removed. */
type Password = { readonly password: string; readonly isPasswordRemoved: boolean }

type PasswordProps = {
  readonly value: Password
  /** The link already has one. */
  readonly hasPassword: boolean
  readonly ref?: Ref<HTMLInputElement> | undefined
  readonly className?: string | undefined
  readonly onChange: (change: Partial<Password>) => void
}

export function LinkPasswordField({ value, hasPassword, ref, className, onChange }: PasswordProps) {
  const id = useId()
  return (
    <div className={className}>
      <label className={inputStyles.label} htmlFor={id}>
        {messages.password}
      </label>
      <PasswordInput
        id={id}
        {...(ref && { ref })}
        autoComplete="new-password"
        maxLength={1000}
        disabled={value.isPasswordRemoved}
        value={value.password}
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
            checked={value.isPasswordRemoved}
            onChange={(isPasswordRemoved) => onChange({ isPasswordRemoved, password: '' })}
          />
          {messages.removePassword}
        </label>
      )}
    </div>
  )
}
