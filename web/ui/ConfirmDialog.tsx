import { type ReactNode, useRef } from 'react'
import { sharedMessages } from '../lib/messages.ts'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'

type Props = {
  open: boolean
  onClose: () => void
  /** Names the thing and the count: "Delete 3 items forever?" */
  title: string
  children: ReactNode
  /** The verb on the button: "Delete forever". */
  confirmLabel: string
  onConfirm: () => void
  /** False for something that can be undone. */
  danger?: boolean
  busy?: boolean
}

/** Asks before the irreversible. The focus starts on Cancel. Import it lazily, like Dialog. */
export function ConfirmDialog({ open, onClose, title, children, confirmLabel, onConfirm, danger = true, busy }: Props) {
  const cancel = useRef<HTMLButtonElement>(null)
  const footer = (
    <>
      <span className="push" />
      <Button ref={cancel} onClick={onClose}>
        {sharedMessages.common.cancel}
      </Button>
      <Button variant={danger ? 'dangerSolid' : 'primary'} onClick={onConfirm} {...(busy && { busy })}>
        {confirmLabel}
      </Button>
    </>
  )
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      size="sm"
      role="alertdialog"
      initialFocus={cancel}
      footer={footer}
    >
      <div className="text-body text-fg-muted">{children}</div>
    </Dialog>
  )
}
