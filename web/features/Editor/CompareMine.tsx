import { nameText } from '../../lib/nameText.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Comparison } from '../Versions/Comparison.tsx'
import { messages } from './messages.ts'

type Props = {
  readonly name: string
  readonly theirs: string
  readonly mine: string
  readonly onClose: () => void
}

/** What the text here changes in the one that was saved elsewhere. */
export function CompareMine({ name, theirs, mine, onClose }: Props) {
  const footer = (
    <Button variant="primary" onClick={onClose}>
      {messages.done}
    </Button>
  )
  return (
    <Dialog
      open
      onClose={onClose}
      size="lg"
      title={messages.compareTitle(nameText(name))}
      description={messages.compareText}
      footer={footer}
    >
      <Comparison before={theirs} after={mine} same={messages.sameText} />
    </Dialog>
  )
}
