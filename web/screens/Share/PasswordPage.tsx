import { Lock } from 'lucide-react'
import { type FormEvent, useId, useRef, useState } from 'react'
import { useRelayEnvironment } from 'react-relay'
import accountMarkStyles from '../../ui/AccountMark.module.css'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import inputStyles from '../../ui/Input.module.css'
import { FieldError } from '../../ui/Input.tsx'
import { PasswordInput } from '../../ui/PasswordInput.tsx'
import { messages } from './messages.ts'
import styles from './Share.module.css'
import { ShareFrame } from './ShareFrame.tsx'
import { unlockShare } from './unlockShare.ts'

type Props = { readonly shareId: string /** The link has ended meanwhile. */; readonly onEnded: () => void }

/** All that may be known before the password: that there is one. */
export function PasswordPage({ shareId, onEnded }: Props) {
  return (
    <ShareFrame pageTitle={messages.protectedPage}>
      <PasswordForm shareId={shareId} onEnded={onEnded} />
    </ShareFrame>
  )
}

function PasswordForm({ shareId, onEnded }: Props) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const { unlock, error, isBusy } = useUnlock(shareId, onEnded)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!isBusy && !(await unlock(field.current?.value ?? ''))) field.current?.select()
  }
  return (
    <form className={styles.form} noValidate onSubmit={submit}>
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

function useUnlock(shareId: string, onEnded: () => void) {
  const environment = useRelayEnvironment()
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  /** Resolves with whether the page is open now. */
  const unlock = async (password: string): Promise<boolean> => {
    setError(password === '' ? messages.passwordMissing : null)
    if (password === '') return false
    setBusy(true)
    const failure = await unlockShare(environment, shareId, password)
    setBusy(false)
    if (failure?.isEnded) onEnded()
    setError(failure?.text ?? null)
    return failure === null
  }
  return { unlock, error, isBusy }
}
