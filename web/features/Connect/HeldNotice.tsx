import { useState } from 'react'
import { useRelayEnvironment } from 'react-relay'
import { reasonOf } from '../../relay/runMutation.ts'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { toast } from '../../ui/toast.ts'
import { decideAccountDeletions } from './accountIndex.ts'
import { messages } from './messages.ts'

type Props = {
  readonly accountId: string
  /** How many entries seem to be gone. */
  readonly count: number
  /** The account is named, where it is not clear which one is meant. */
  readonly name?: string
  /** Before it vanishes, with the button that has the focus. */
  readonly onDecided?: () => void
}

/** More than half of an account seems to be gone: its entries are shown until the user decides. */
export function HeldNotice({ accountId, count, name, onDecided }: Props) {
  const environment = useRelayEnvironment()
  const [busy, setBusy] = useState(false)
  const decide = async (accept: boolean) => {
    setBusy(true)
    onDecided?.()
    try {
      await decideAccountDeletions(environment, accountId, accept)
    } catch (error) {
      toast.error(messages.index.lookFailed, { description: reasonOf(error) })
    } finally {
      setBusy(false)
    }
  }
  return (
    <Notice tone="warning">
      <p role="status">{messages.index.held(count, name)}</p>
      <div className="hstack flex-wrap mt-2">
        <Button size="sm" busy={busy} onClick={() => void decide(true)}>
          {messages.index.acceptHeld}
        </Button>
        <Button size="sm" busy={busy} onClick={() => void decide(false)}>
          {messages.index.keepHeld}
        </Button>
      </div>
    </Notice>
  )
}
