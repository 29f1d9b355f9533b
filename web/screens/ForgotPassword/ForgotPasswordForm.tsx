import type { FormEvent } from 'react'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Input.tsx'
import { messages } from './messages.ts'
import { useForgotPassword } from './useForgotPassword.ts'

type Props = { email: string; submit: string; onChange: (email: string) => void; onSent: () => void }

/** The browser checks that the field is filled and looks like an email address. */
export function ForgotPasswordForm({ email, submit, onChange, onSent }: Props) {
  const { send, isBusy } = useForgotPassword(onSent)
  const ask = (event: FormEvent) => {
    event.preventDefault()
    send(email)
  }
  return (
    <form onSubmit={ask}>
      <TextField
        label={messages.email}
        large
        type="email"
        name="email"
        autoComplete="username"
        required
        value={email}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <Button type="submit" variant="primary" size="lg" block busy={isBusy}>
        {submit}
      </Button>
    </form>
  )
}
