import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react'
import { useRelayEnvironment } from 'react-relay'
import { sharedMessages } from '../../lib/messages.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Input.tsx'
import { toast } from '../../ui/toast.ts'
import { createApiKey } from './createApiKey.ts'
import { KeyLimits } from './KeyLimits.tsx'
import { inputOf, type Limits, NO_LIMITS } from './limits.ts'
import { messages } from './messages.ts'

/** A new key needs a name; the rest can stay as it is. Import it lazily, like Dialog. */
export function GenerateDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [limits, setLimits] = useState(NO_LIMITS)
  const [dayError, setDayError] = useState<string>()
  const field = useRef<HTMLInputElement>(null)
  const { generate, busy } = useGenerate(onClose)
  const isBlank = name.trim() === ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const rest = inputOf(limits)
    setDayError(rest ? undefined : messages.form.dayMissing)
    if (rest && !isBlank) generate({ name: name.trim(), ...rest })
  }
  // A disabled button keeps the form from being submitted by Enter: then this says why.
  const askForName = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !isBlank) return
    event.preventDefault()
    toast.error(messages.form.nameMissing, { description: messages.form.nameHint })
  }
  const change = (part: Partial<Limits>) => {
    setDayError(undefined)
    setLimits((current) => ({ ...current, ...part }))
  }
  const footer = (
    <>
      <span className="push" />
      <Button onClick={onClose}>{sharedMessages.common.cancel}</Button>
      <Button variant="primary" type="submit" form="generate-key" disabled={isBlank} busy={busy}>
        {busy ? messages.form.busy : messages.form.submit}
      </Button>
    </>
  )
  return (
    <Dialog
      open
      onClose={onClose}
      size="sm"
      title={messages.generateKey}
      description={messages.form.intro}
      initialFocus={field}
      footer={footer}
    >
      <form id="generate-key" noValidate onSubmit={submit} className="grid gap-5">
        <TextField
          ref={field}
          label={messages.form.name}
          hint={messages.form.nameHint}
          value={name}
          maxLength={100}
          required
          autoComplete="off"
          onChange={(event) => setName(event.currentTarget.value)}
          onKeyDown={askForName}
        />
        <KeyLimits limits={limits} error={dayError} onChange={change} />
      </form>
    </Dialog>
  )
}

/** The toast comes once the server has made the key. */
function useGenerate(onDone: () => void) {
  const environment = useRelayEnvironment()
  const [busy, setBusy] = useState(false)
  const run = async (input: Parameters<typeof createApiKey>[1]) => {
    setBusy(true)
    try {
      await createApiKey(environment, input)
      toast.success(messages.form.done)
      onDone()
    } catch (error) {
      toast.error(messages.form.failed, { description: reasonOf(error) })
      setBusy(false)
    }
  }
  return { busy, generate: (input: Parameters<typeof createApiKey>[1]) => void run(input) }
}
