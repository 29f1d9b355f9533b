import { type FormEvent, useId, useRef, useState } from 'react'
import { useRelayEnvironment } from 'react-relay'
import { useNavigate } from 'react-router'
import { leaveSession } from '../../features/Session/leaveSession.ts'
import { sharedMessages } from '../../lib/messages.ts'
import { fieldErrorsOf, reasonOf } from '../../relay/runMutation.ts'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Input.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { toast } from '../../ui/toast.ts'
import { deleteUser } from './deleteUser.ts'
import { messages } from './messages.ts'

const { remove } = messages

/** Says what is lost and asks for the password. Import it lazily, like Dialog. */
export function DeleteDialog({ onClose }: { onClose: () => void }) {
  const field = useRef<HTMLInputElement>(null)
  const remoteId = useId()
  const [password, setPassword] = useState('')
  const [deleteRemote, setDeleteRemote] = useState(false)
  const [error, setError] = useState<string>()
  const fail = (text: string) => {
    setError(text)
    field.current?.focus()
  }
  const { leave, busy } = useLeave(fail)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (password === '') return fail(remove.passwordMissing)
    leave({ password, deleteRemote })
  }
  const footer = (
    <>
      <span className="push" />
      <Button onClick={onClose}>{sharedMessages.common.cancel}</Button>
      <Button variant="dangerSolid" type="submit" form="delete-account" busy={busy}>
        {remove.confirm}
      </Button>
    </>
  )
  return (
    <Dialog
      open
      onClose={onClose}
      size="sm"
      role="alertdialog"
      title={remove.dialogTitle}
      initialFocus={field}
      footer={footer}
    >
      <form id="delete-account" noValidate onSubmit={submit} className="grid gap-4">
        <Notice tone="warning">{remove.warning}</Notice>
        <p className="muted">{remove.accounts}</p>
        <label className="hstack items-start gap-3" htmlFor={remoteId}>
          <Checkbox id={remoteId} className="mt-0.5" checked={deleteRemote} onChange={setDeleteRemote} />
          {remove.deleteRemote}
        </label>
        <TextField
          ref={field}
          label={remove.password}
          type="password"
          autoComplete="current-password"
          required
          value={password}
          error={error}
          onChange={(event) => {
            setError(undefined)
            setPassword(event.currentTarget.value)
          }}
        />
      </form>
    </Dialog>
  )
}

function useLeave(fail: (text: string) => void) {
  const environment = useRelayEnvironment()
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  const run = async (input: Parameters<typeof deleteUser>[1]) => {
    setBusy(true)
    try {
      await deleteUser(environment, input)
      leaveSession()
      toast.success(remove.done)
      void navigate('/login')
    } catch (error) {
      setBusy(false)
      const wrong = fieldErrorsOf(error).password
      if (wrong) fail(wrong)
      else toast.error(remove.failed, { description: reasonOf(error) })
    }
  }
  return { busy, leave: (input: Parameters<typeof deleteUser>[1]) => void run(input) }
}
