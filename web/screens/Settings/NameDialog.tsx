import { type FormEvent, useRef, useState } from 'react'
import { useRelayEnvironment } from 'react-relay'
import { messages } from '../../lib/messages.ts'
import { fieldErrorsOf, reasonOf } from '../../relay/runMutation.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Input.tsx'
import { toast } from '../../ui/toast.ts'
import { changeName } from './changeName.ts'
import { words } from './words.ts'

type Props = { fullName: string; onClose: () => void }

/** Import it lazily, as Dialog. */
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
      toast.success(words.name.saved)
      onClose()
    } catch (failure) {
      setBusy(false)
      setError(fieldErrorsOf(failure).fullName)
      toast.error(words.name.failed, { description: reasonOf(failure) })
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '') return setError(words.name.missing)
    void save()
  }
  const footer = (
    <>
      <span className="push" />
      <Button onClick={onClose}>{messages.common.cancel}</Button>
      <Button variant="primary" type="submit" form="change-name" busy={busy}>
        {words.name.save}
      </Button>
    </>
  )
  return (
    <Dialog open onClose={onClose} size="sm" title={words.name.title} initialFocus={field} footer={footer}>
      <form id="change-name" noValidate onSubmit={submit}>
        <TextField
          ref={field}
          label={words.name.label}
          hint={words.name.hint}
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
