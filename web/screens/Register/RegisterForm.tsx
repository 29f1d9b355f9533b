import { type FormEvent, type InputHTMLAttributes, useRef, useState } from 'react'
import { messages } from '../../lib/messages.ts'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Input.tsx'
import { checkRegistration, FIELDS, type RegisterErrors, type RegisterField, type RegisterValues } from './rules.ts'
import { TermsField } from './TermsField.tsx'
import { useRegister } from './useRegister.ts'

const words = messages.register

type TextFieldName = Exclude<RegisterField, 'terms'>

const TEXT_FIELDS: {
  name: TextFieldName
  label: string
  hint?: string
  input: InputHTMLAttributes<HTMLInputElement>
}[] = [
  { name: 'fullName', label: words.fullName, input: { type: 'text', autoComplete: 'name' } },
  { name: 'email', label: words.email, input: { type: 'email', autoComplete: 'username' } },
  {
    name: 'password',
    label: words.password,
    hint: words.passwordHint,
    input: { type: 'password', autoComplete: 'new-password' },
  },
  { name: 'confirm', label: words.confirm, input: { type: 'password', autoComplete: 'new-password' } },
]

const EMPTY: RegisterValues = { fullName: '', email: '', password: '', confirm: '', terms: false }

type Props = {
  invite?: string /** The only address that the invitation is for; null: any. */
  invitedEmail?: string | null
}

/** Errors stand under their fields; the first of them gets the focus. */
export function RegisterForm({ invite, invitedEmail = null }: Props) {
  const form = useRef<HTMLFormElement>(null)
  const [values, setValues] = useState({ ...EMPTY, email: invitedEmail ?? '' })
  const [errors, setErrors] = useState<RegisterErrors>({})
  const showErrors = (found: RegisterErrors) => {
    setErrors(found)
    const first = FIELDS.find((field) => found[field])
    if (first) form.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus()
  }
  const { register, isBusy } = useRegister(showErrors, invite)

  const change = (field: RegisterField, value: string | boolean) => {
    setValues({ ...values, [field]: value })
    setErrors({ ...errors, [field]: undefined })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = checkRegistration(values)
    showErrors(found)
    if (Object.keys(found).length === 0) register(values)
  }
  return (
    <form ref={form} onSubmit={submit} noValidate>
      {TEXT_FIELDS.map(({ name, label, hint, input }) => (
        <TextField
          {...input}
          {...(hint && { hint })}
          {...(name === 'email' && invitedEmail !== null && { readOnly: true, hint: words.invitedEmail })}
          key={name}
          name={name}
          label={label}
          large
          required
          value={values[name]}
          error={errors[name]}
          onChange={(event) => change(name, event.currentTarget.value)}
        />
      ))}
      <TermsField checked={values.terms} error={errors.terms} onChange={(terms) => change('terms', terms)} />
      <Button type="submit" variant="primary" size="lg" block busy={isBusy}>
        {words.submit}
      </Button>
    </form>
  )
}
