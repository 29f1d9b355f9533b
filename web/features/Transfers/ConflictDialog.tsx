import { useId, useRef, useState } from 'react'
import { nameText } from '../../lib/nameText.ts'
import type { Transfer } from '../../lib/uploadQueue.ts'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import type { ConflictAnswer } from './uploadJob.ts'

type Props = {
  readonly transfer: Transfer
  /** How many more files have a name that is taken. */
  readonly others: number
  readonly onAnswer: (answer: ConflictAnswer, forAll: boolean) => void
  /** Closed without an answer: the row in the panel asks again. */
  readonly onClose: () => void
}

export function ConflictDialog({ transfer, others, onAnswer, onClose }: Props) {
  const forAllId = useId()
  const keepBoth = useRef<HTMLButtonElement>(null)
  const [isForAll, setForAll] = useState(false)
  const answer = (choice: ConflictAnswer) => () => onAnswer(choice, isForAll)
  return (
    <Dialog
      open
      size="sm"
      role="alertdialog"
      onClose={onClose}
      initialFocus={keepBoth}
      title="This name is taken"
      description={`${nameText(transfer.place)} already has a file named “${nameText(transfer.name)}”.`}
      footer={
        <>
          <Button className="push" onClick={answer('SKIP')}>
            Skip
          </Button>
          <Button onClick={answer('REPLACE')}>Replace</Button>
          <Button ref={keepBoth} variant="primary" onClick={answer('RENAME')}>
            Keep both
          </Button>
        </>
      }
    >
      <p className="muted">Keep both adds a number to the new file’s name. Replace puts the new file in its place.</p>
      {others > 0 && (
        <label className="hstack mt-3" htmlFor={forAllId}>
          <Checkbox id={forAllId} checked={isForAll} onChange={setForAll} />
          Do the same for {others} more {others === 1 ? 'file' : 'files'} and all that follow
        </label>
      )}
    </Dialog>
  )
}
