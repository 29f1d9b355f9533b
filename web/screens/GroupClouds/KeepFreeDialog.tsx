import { type FormEvent, useRef, useState } from 'react'
import { messages } from '../../lib/messages.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Input.tsx'
import type { KeepFree } from './MemberRow.tsx'
import { useChange } from './useChange.ts'
import { words } from './words.ts'

const GB = 1024 ** 3

type Props = { groupCloudId: string; member: KeepFree; onClose: () => void }

/** How much of an account stays its owner's. Import it lazily, as Dialog. */
export function KeepFreeDialog({ groupCloudId, member, onClose }: Props) {
  const [text, setText] = useState(String(Number((member.bytes / GB).toFixed(2))))
  const [error, setError] = useState<string>()
  const field = useRef<HTMLInputElement>(null)
  const { change, busy } = useChange(groupCloudId)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const amount = Number(text.trim().replace(',', '.'))
    if (text.trim() === '' || !(amount >= 0 && amount < 1024 ** 2)) return setError(words.keepFree.invalid)
    const keepFreeBytes = [{ accountId: member.accountId, keepFreeBytes: Math.round(amount * GB) }]
    if (await change({ keepFreeBytes })) onClose()
  }
  const footer = (
    <>
      <span className="push" />
      <Button onClick={onClose}>{messages.common.cancel}</Button>
      <Button variant="primary" type="submit" form="keep-free" busy={busy}>
        {words.keepFree.save}
      </Button>
    </>
  )
  return (
    <Dialog
      open
      onClose={onClose}
      size="sm"
      title={words.keepFree.title(member.name)}
      initialFocus={field}
      footer={footer}
    >
      <form id="keep-free" noValidate onSubmit={submit}>
        <TextField
          label={words.keepFree.label}
          ref={field}
          hint={words.keepFree.text}
          error={error}
          inputMode="decimal"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </form>
    </Dialog>
  )
}
