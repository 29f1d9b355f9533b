import { Lock } from 'lucide-react'
import { type FormEvent, useId, useRef, useState } from 'react'
import accountMarkStyles from '../../ui/AccountMark.module.css'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import inputStyles from '../../ui/Input.module.css'
import { FieldError } from '../../ui/Input.tsx'
import { PasswordInput } from '../../ui/PasswordInput.tsx'
import { messages } from './messages.ts'

type Props = {
  readonly className: string | undefined
  /** Gives the password to the server. Resolves with why it was refused, or null. Never throws. */
  readonly unlock: (password: string) => Promise<string | null>
}

/** What visitors of a protected link see: nothing but that there is a password. */
export function LinkPasswordForm({ className, unlock }: Props) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy) return
    const password = field.current?.value ?? ''
    setError(password === '' ? messages.passwordMissing : null)
    if (password === '') return field.current?.select()
    setBusy(true)
    const refusal = await unlock(password)
    setBusy(false)
    setError(refusal)
    if (refusal !== null) field.current?.select()
  }
  return (
    <form className={className} noValidate onSubmit={submit}>
      <span className={`${accountMarkStyles.mark} ${accountMarkStyles.size40} ${accountMarkStyles.off} mb-5`}>
        <Icon icon={Lock} size={20} />
      </span>
      <h1 className="h1">{messages.protectedTitle}</h1>
      <p className="muted text-body mt-1 mb-6">{messages.protectedText}</p>
      <label className={inputStyles.label} htmlFor={id}>
        {messages.password}
      </label>
      <PasswordInput
        id={id}
        ref={field}
        large
        autoFocus
        name="password"
        autoComplete="off"
        invalid={error !== null}
        aria-describedby={error ? `${id}-error` : undefined}
      />
      {error && <FieldError id={`${id}-error`}>{error}</FieldError>}
      <Button type="submit" variant="primary" size="lg" block className="mt-5" busy={isBusy}>
        {messages.unlock}
      </Button>
    </form>
  )
}
