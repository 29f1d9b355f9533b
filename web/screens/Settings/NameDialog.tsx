import { type FormEvent, useRef, useState } from 'react'
import { useRelayEnvironment } from 'react-relay'
import { sharedMessages } from '../../lib/messages.ts'
import { fieldErrorsOf, reasonOf } from '../../relay/runMutation.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Input.tsx'
import { toast } from '../../ui/toast.ts'
import { changeName } from './changeName.ts'
import { messages } from './messages.ts'

type Props = { fullName: string; onClose: () => void }

/** Import it lazily, like Dialog. */
export function NameDialog({ fullName, onClose }: Props) {
  const environment = useRelayEnvironment()
  const [name, setName] = useState(fullName)
  const [error, setError] = useState<string>()
  const [busy, setBusy] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const save = async () => {
    setBusy(true)
    try {
      await changeName(environment, name.trim())
      toast.success(messages.name.saved)
      onClose()
    } catch (failure) {
      setBusy(false)
      setError(fieldErrorsOf(failure).fullName)
      toast.error(messages.name.failed, { description: reasonOf(failure) })
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '') return setError(messages.name.missing)
    void save()
  }
  const footer = (
    <>
      <span className="push" />
      <Button onClick={onClose}>{sharedMessages.common.cancel}</Button>
      <Button variant="primary" type="submit" form="change-name" busy={busy}>
        {messages.name.save}
      </Button>
    </>
  )
  return (
    <Dialog open onClose={onClose} size="sm" title={messages.name.title} initialFocus={field} footer={footer}>
      <form id="change-name" noValidate onSubmit={submit}>
        <TextField
          ref={field}
          label={messages.name.label}
          hint={messages.name.hint}
          error={error}
          value={name}
          maxLength={200}
          autoComplete="name"
          onChange={(event) => {
            setError(undefined)
            setName(event.currentTarget.value)
          }}
        />
      </form>
    </Dialog>
  )
}
