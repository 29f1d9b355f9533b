import { type FormEvent, useRef, useState } from 'react'
import { useRelayEnvironment } from 'react-relay'
import { sharedMessages } from '../../lib/messages.ts'
import { fieldErrorsOf, reasonOf } from '../../relay/runMutation.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Input.tsx'
import { toast } from '../../ui/toast.ts'
import { changePassword } from './changePassword.ts'
import { messages } from './messages.ts'
import { checkPasswords, PASSWORD_FIELDS, type PasswordErrors, type PasswordField } from './passwordRules.ts'

const { password } = messages

const FIELDS: Record<PasswordField, { label: string; hint?: string; autoComplete: string }> = {
  currentPassword: { label: password.current, autoComplete: 'current-password' },
  newPassword: { label: password.next, hint: password.hint, autoComplete: 'new-password' },
  confirm: { label: password.confirm, autoComplete: 'new-password' },
}
const EMPTY = { currentPassword: '', newPassword: '', confirm: '' }

/** Errors are shown under their fields; the first invalid field gets the focus. Import it lazily, like Dialog. */
export function PasswordDialog({ onClose }: { onClose: () => void }) {
  const form = useRef<HTMLFormElement>(null)
  const first = useRef<HTMLInputElement>(null)
  const [values, setValues] = useState(EMPTY)
  const [errors, setErrors] = useState<PasswordErrors>({})
  const showErrors = (found: PasswordErrors) => {
    setErrors(found)
    const wrong = PASSWORD_FIELDS.find((field) => found[field])
    if (wrong) form.current?.querySelector<HTMLInputElement>(`[name="${wrong}"]`)?.focus()
    return wrong !== undefined
  }
  const { save, busy } = useSave(showErrors, onClose)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!showErrors(checkPasswords(values))) save(values)
  }
  const change = (field: PasswordField, value: string) => {
    setValues({ ...values, [field]: value })
    setErrors({ ...errors, [field]: undefined })
  }
  const footer = (
    <>
      <span className="push" />
      <Button onClick={onClose}>{sharedMessages.common.cancel}</Button>
      <Button variant="primary" type="submit" form="change-password" busy={busy}>
        {password.save}
      </Button>
    </>
  )
  return (
    <Dialog
      open
      onClose={onClose}
      size="sm"
      title={password.title}
      description={password.text}
      initialFocus={first}
      footer={footer}
    >
      <form ref={form} id="change-password" noValidate onSubmit={submit}>
        {PASSWORD_FIELDS.map((field, index) => (
          <TextField
            {...FIELDS[field]}
            {...(index === 0 && { ref: first })}
            key={field}
            name={field}
            type="password"
            required
            value={values[field]}
            error={errors[field]}
            onChange={(event) => change(field, event.currentTarget.value)}
          />
        ))}
      </form>
    </Dialog>
  )
}

function useSave(showErrors: (errors: PasswordErrors) => unknown, onDone: () => void) {
  const environment = useRelayEnvironment()
  const [busy, setBusy] = useState(false)
  const run = async (input: Parameters<typeof changePassword>[1]) => {
    setBusy(true)
    try {
      await changePassword(environment, input)
      toast.success(password.saved, { description: password.savedText })
      onDone()
    } catch (error) {
      setBusy(false)
      showErrors(fieldErrorsOf(error))
      toast.error(password.failed, { description: reasonOf(error) })
    }
  }
  const save = ({ currentPassword, newPassword }: { currentPassword: string; newPassword: string }) =>
    void run({ currentPassword, newPassword })
  return { save, busy }
}
