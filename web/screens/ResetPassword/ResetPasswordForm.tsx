import { type FormEvent, useRef, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Input.tsx'
import { messages } from './messages.ts'
import { checkReset, FIELDS, type ResetErrors, type ResetValues } from './rules.ts'
import { useResetPassword } from './useResetPassword.ts'

const LABELS = { password: messages.password, confirm: messages.confirm }

type Props = { token: string; onRefused: () => void }

/** Errors are shown under their fields; the first invalid field gets the focus. */
export function ResetPasswordForm({ token, onRefused }: Props) {
  const form = useRef<HTMLFormElement>(null)
  const [values, setValues] = useState<ResetValues>({ password: '', confirm: '' })
  const [errors, setErrors] = useState<ResetErrors>({})
  const showErrors = (found: ResetErrors) => {
    setErrors(found)
    const first = FIELDS.find((field) => found[field])
    if (first) form.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus()
  }
  const { reset, isBusy } = useResetPassword({ showErrors, onRefused })

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = checkReset(values)
    showErrors(found)
    if (Object.keys(found).length === 0) reset(token, values.password)
  }
  return (
    <form ref={form} onSubmit={submit} noValidate>
      {FIELDS.map((name) => (
        <TextField
          key={name}
          name={name}
          type="password"
          autoComplete="new-password"
          label={LABELS[name]}
          {...(name === 'password' && { hint: messages.passwordHint })}
          large
          required
          value={values[name]}
          error={errors[name]}
          onChange={(event) => {
            setValues({ ...values, [name]: event.currentTarget.value })
            setErrors({ ...errors, [name]: undefined })
          }}
        />
      ))}
      <Button type="submit" variant="primary" size="lg" block busy={isBusy}>
        {messages.submit}
      </Button>
    </form>
  )
}
