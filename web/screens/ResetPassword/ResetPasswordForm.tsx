import { type FormEvent, useRef, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Input.tsx'
import { checkReset, FIELDS, type ResetErrors, type ResetValues } from './rules.ts'
import { useResetPassword } from './useResetPassword.ts'
import { words } from './words.ts'

const LABELS = { password: words.password, confirm: words.confirm }

type Props = { token: string; onRefused: () => void }

/** Errors stand under their fields; the first of them gets the focus. */
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
          {...(name === 'password' && { hint: words.passwordHint })}
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
        {words.submit}
      </Button>
    </form>
  )
}
