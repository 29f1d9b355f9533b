import { type FormEvent, useRef, useState } from 'react'
import { sharedMessages } from '../../lib/messages.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Input.tsx'
import type { KeepFree } from './MemberRow.tsx'
import { messages } from './messages.ts'
import { useChange } from './useChange.ts'

const GB = 1024 ** 3

type Props = { groupCloudId: string; member: KeepFree; onClose: () => void }

/** Sets how much space of an account stays free. Import it lazily, like Dialog. */
export function KeepFreeDialog({ groupCloudId, member, onClose }: Props) {
  const [text, setText] = useState(String(Number((member.bytes / GB).toFixed(2))))
  const [error, setError] = useState<string>()
  const field = useRef<HTMLInputElement>(null)
  const { change, busy } = useChange(groupCloudId)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const amount = Number(text.trim().replace(',', '.'))
    if (text.trim() === '' || !(amount >= 0 && amount < 1024 ** 2)) return setError(messages.keepFree.invalid)
    const keepFreeBytes = [{ accountId: member.accountId, keepFreeBytes: Math.round(amount * GB) }]
    if (await change({ keepFreeBytes })) onClose()
  }
  const footer = (
    <>
      <span className="push" />
      <Button onClick={onClose}>{sharedMessages.common.cancel}</Button>
      <Button variant="primary" type="submit" form="keep-free" busy={busy}>
        {messages.keepFree.save}
      </Button>
    </>
  )
  return (
    <Dialog
      open
      onClose={onClose}
      size="sm"
      title={messages.keepFree.title(member.name)}
      initialFocus={field}
      footer={footer}
    >
      <form id="keep-free" noValidate onSubmit={submit}>
        <TextField
          label={messages.keepFree.label}
          ref={field}
          hint={messages.keepFree.text}
          error={error}
          inputMode="decimal"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </form>
    </Dialog>
  )
}
