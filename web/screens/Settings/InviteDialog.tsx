import { type FormEvent, useRef, useState } from 'react'
import { useRelayEnvironment } from 'react-relay'
import { sharedMessages } from '../../lib/messages.ts'
import { fieldErrorsOf, reasonOf } from '../../relay/runMutation.ts'
import { Button } from '../../ui/Button.tsx'
import { copyText } from '../../ui/copyText.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Input.tsx'
import { toast } from '../../ui/toast.ts'
import { createInvitation } from './invitations.ts'
import { messages } from './messages.ts'

const { invite: texts } = messages
const FORM = 'invite'

/** Creates an invitation link and shows it once. Import it lazily, like Dialog. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const environment = useRelayEnvironment()
  const field = useRef<HTMLInputElement>(null)
  const [email, setEmail] = useState('')
  const [error, setError] = useState<string>()
  const [url, setUrl] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const create = async () => {
    setBusy(true)
    try {
      setUrl(await createInvitation(environment, email.trim() || null))
    } catch (failure) {
      const wrong = fieldErrorsOf(failure).email
      setError(wrong)
      if (wrong) field.current?.focus()
      else toast.error(texts.failed, { description: reasonOf(failure) })
    } finally {
      setBusy(false)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (url === null) void create()
    else void copyText(url)
  }
  const footer = (
    <>
      <span className="push" />
      <Button onClick={onClose}>{url === null ? sharedMessages.common.cancel : texts.done}</Button>
      <Button variant="primary" type="submit" form={FORM} busy={busy}>
        {url === null ? texts.create : texts.copy}
      </Button>
    </>
  )
  return (
    <Dialog open onClose={onClose} size="sm" title={texts.title} initialFocus={field} footer={footer}>
      <form id={FORM} noValidate onSubmit={submit}>
        {url === null ? (
          <TextField
            ref={field}
            key="email"
            label={texts.email}
            hint={texts.emailHint}
            type="email"
            autoComplete="off"
            value={email}
            error={error}
            onChange={(event) => {
              setError(undefined)
              setEmail(event.currentTarget.value)
            }}
          />
        ) : (
          <TextField
            key="link"
            autoFocus
            label={texts.link}
            hint={texts.linkHint}
            readOnly
            value={url}
            onFocus={(event) => event.currentTarget.select()}
          />
        )}
      </form>
    </Dialog>
  )
}
