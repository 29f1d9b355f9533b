import { type FormEvent, type InputHTMLAttributes, useRef, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Input.tsx'
import { messages } from './messages.ts'
import { checkRegistration, FIELDS, type RegisterErrors, type RegisterField, type RegisterValues } from './rules.ts'
import { TermsField } from './TermsField.tsx'
import { useRegister } from './useRegister.ts'

type TextFieldName = Exclude<RegisterField, 'terms'>

const TEXT_FIELDS: {
  name: TextFieldName
  label: string
  hint?: string
  input: InputHTMLAttributes<HTMLInputElement>
}[] = [
  { name: 'fullName', label: messages.fullName, input: { type: 'text', autoComplete: 'name' } },
  { name: 'email', label: messages.email, input: { type: 'email', autoComplete: 'username' } },
  {
    name: 'password',
    label: messages.password,
    hint: messages.passwordHint,
    input: { type: 'password', autoComplete: 'new-password' },
  },
  { name: 'confirm', label: messages.confirm, input: { type: 'password', autoComplete: 'new-password' } },
]

const EMPTY: RegisterValues = { fullName: '', email: '', password: '', confirm: '', terms: false }

type Props = {
  invite?: string /** The only address that the invitation is for; null: any. */
  invitedEmail?: string | null
}

/** Errors are shown under their fields; the first invalid field gets the focus. */
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
          {...(name === 'email' && invitedEmail !== null && { readOnly: true, hint: messages.invitedEmail })}
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
        {messages.submit}
      </Button>
    </form>
  )
}
