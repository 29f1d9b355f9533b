import { useEffect, useRef, useState } from 'react'
import { useRelayEnvironment } from 'react-relay'
import { reasonOf } from '../../relay/runMutation.ts'
import { Button } from '../../ui/Button.tsx'
import { toast } from '../../ui/toast.ts'
import { messages } from './messages.ts'
import { revokeShare } from './revokeShare.ts'
import styles from './ShareDialog.module.css'

/** Asks for confirmation inline: a link that has ended never works again. */
export function EndLink({ id, onClose }: { id: string; onClose: () => void }) {
  const environment = useRelayEnvironment()
  const [isBusy, setBusy] = useState(false)
  const keep = useRef<HTMLButtonElement>(null)
  useEffect(() => keep.current?.focus(), [])
  const end = async () => {
    setBusy(true)
    try {
      await revokeShare(environment, id)
      toast.success(messages.ended)
    } catch (error) {
      toast.error(messages.endFailed, { description: reasonOf(error) })
      setBusy(false)
    }
  }
  return (
    <div className={styles.facts} role="alert">
      <span className="meta grow">{messages.endQuestion}</span>
      <Button ref={keep} size="sm" onClick={onClose}>
        {messages.keep}
      </Button>
      <Button size="sm" variant="dangerSolid" busy={isBusy} onClick={() => void end()}>
        {messages.end}
      </Button>
    </div>
  )
}
