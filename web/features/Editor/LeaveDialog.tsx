import { useSyncExternalStore } from 'react'
import { nameText } from '../../lib/nameText.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import type { Editing } from './editing.ts'
import { messages } from './messages.ts'

type Props = {
  readonly name: string
  readonly editing: Editing
  readonly onStay: () => void
  readonly onLeave: () => void
}

/** Asks what becomes of unsaved text. */
export function LeaveDialog({ name, editing, onStay, onLeave }: Props) {
  const { isSaving, isKept, theirs } = useSyncExternalStore(editing.subscribe, editing.state)
  const save = async () => {
    await editing.save()
    if (editing.isDirty()) onStay()
    else onLeave()
  }
  const discard = () => {
    editing.discard()
    onLeave()
  }
  const footer = (
    <>
      <Button variant="danger" className="push" onClick={discard}>
        {messages.discard}
      </Button>
      {isKept && <Button onClick={onLeave}>{messages.closeAndKeep}</Button>}
      {!theirs && (
        <Button variant="primary" busy={isSaving} onClick={() => void save()}>
          {messages.saveAndClose}
        </Button>
      )}
    </>
  )
  return (
    <Dialog open onClose={onStay} role="alertdialog" title={messages.leaveTitle(nameText(name))} footer={footer}>
      <p className="text-fg-muted">
        {messages.leaveText} {isKept && messages.leaveKept}
      </p>
    </Dialog>
  )
}
