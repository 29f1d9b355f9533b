import { Lock } from 'lucide-react'
import { type FormEvent, useId, useRef, useState } from 'react'
import accountMarkStyles from '../../ui/AccountMark.module.css'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import inputStyles from '../../ui/Input.module.css'
import { FieldError } from '../../ui/Input.tsx'
import { PasswordInput } from '../../ui/PasswordInput.tsx'
import { messages } from './messages.ts'
import styles from './SendFiles.module.css'
import { type LinkAnswer, unlockLink } from './uploadLink.ts'

type Props = { readonly id: string; readonly onAnswer: (answer: LinkAnswer) => void }

/** All that may be known before the password: that there is one. */
export function PasswordForm({ id, onAnswer }: Props) {
  const fieldId = useId()
  const field = useRef<HTMLInputElement>(null)
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const password = field.current?.value ?? ''
    setError(password === '' ? messages.passwordMissing : null)
    if (password === '' || isBusy) return
    setBusy(true)
    const answer = await unlockLink(id, password)
    setBusy(false)
    if (answer.kind !== 'wrong') return onAnswer(answer)
    setError(answer.text)
    field.current?.select()
  }
  return (
    <form className={styles.password} noValidate onSubmit={submit}>
      <span className={`${accountMarkStyles.mark} ${accountMarkStyles.size40} ${accountMarkStyles.off} mb-5`}>
        <Icon icon={Lock} size={20} />
      </span>
      <h1 className="h1">{messages.protectedTitle}</h1>
      <p className="muted text-body mt-1 mb-6">{messages.protectedText}</p>
      <label className={inputStyles.label} htmlFor={fieldId}>
        {messages.password}
      </label>
      <PasswordInput
        id={fieldId}
        ref={field}
        large
        autoFocus
        name="password"
        autoComplete="off"
        invalid={error !== null}
        aria-describedby={error ? `${fieldId}-error` : undefined}
      />
      {error && <FieldError id={`${fieldId}-error`}>{error}</FieldError>}
      <Button type="submit" variant="primary" size="lg" block className="mt-5" busy={isBusy}>
        {messages.unlock}
      </Button>
    </form>
  )
}
