import { useEffect, useRef, useState } from 'react'
import { reasonOf } from '../../relay/runMutation.ts'
import { Button } from '../../ui/Button.tsx'
import { toast } from '../../ui/toast.ts'
import { messages } from './messages.ts'
import styles from './ShareDialog.module.css'

type Props = {
  readonly question: string
  /** Ends the link, with which this component disappears. @throws MutationRefused, Error */
  readonly end: () => Promise<void>
  readonly onClose: () => void
}

/** Asks for confirmation inline: a link of any kind that has ended never works again. */
export function EndLink({ question, end, onClose }: Props) {
  const [isBusy, setBusy] = useState(false)
  const keep = useRef<HTMLButtonElement>(null)
  useEffect(() => keep.current?.focus(), [])
  const confirm = async () => {
    setBusy(true)
    try {
      await end()
      toast.success(messages.ended)
    } catch (error) {
      toast.error(messages.endFailed, { description: reasonOf(error) })
      setBusy(false)
    }
  }
  return (
    <div className={styles.facts} role="alert">
      <span className="meta grow">{question}</span>
      <Button ref={keep} size="sm" onClick={onClose}>
        {messages.keep}
      </Button>
      <Button size="sm" variant="dangerSolid" busy={isBusy} onClick={() => void confirm()}>
        {messages.end}
      </Button>
    </div>
  )
}
