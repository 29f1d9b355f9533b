import { useState } from 'react'
import { useRelayEnvironment } from 'react-relay'
import { reasonOf } from '../../relay/runMutation.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { toast } from '../../ui/toast.ts'
import { changeApiKey, type KeyChange } from './changeApiKey.ts'
import { messages } from './messages.ts'

type Props = { change: KeyChange; onClose: () => void }

/** Asks before a key stops working. Import it lazily, like Dialog. */
export function ChangeKeyDialog({ change, onClose }: Props) {
  const environment = useRelayEnvironment()
  const [busy, setBusy] = useState(false)
  const { title, text, confirm: confirmLabel, done, failed } = messages.changes[change.kind]
  const confirm = async () => {
    setBusy(true)
    try {
      await changeApiKey(environment, change)
      toast.success(done)
      onClose()
    } catch (error) {
      toast.error(failed, { description: reasonOf(error) })
      setBusy(false)
    }
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={title(change.name)}
      confirmLabel={confirmLabel}
      onConfirm={() => void confirm()}
      busy={busy}
    >
      {text}
    </ConfirmDialog>
  )
}
