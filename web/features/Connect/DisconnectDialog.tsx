import { Suspense, useEffect, useId, useState } from 'react'
import { graphql, useLazyLoadQuery, useRelayEnvironment } from 'react-relay'
import type { DisconnectDialogQuery } from '../../__generated__/DisconnectDialogQuery.graphql.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { useRetryKey } from '../../lib/retryKey.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { RetryBoundary } from '../../ui/RetryBoundary.tsx'
import { toast } from '../../ui/toast.ts'
import { disconnectAccount } from './disconnectAccount.ts'
import { messages } from './messages.ts'

type Props = { account: { readonly id: string; readonly name: string }; onClose: () => void }

/** Shows what would be lost before it is lost. Import it lazily, like Dialog. */
export function DisconnectDialog({ account, onClose }: Props) {
  const environment = useRelayEnvironment()
  const [busy, setBusy] = useState(false)
  /** Null until it is known. */
  const [loses, setLoses] = useState<boolean | null>(null)
  const [keepProtected, setKeepProtected] = useState(true)
  const confirm = async () => {
    setBusy(true)
    try {
      await disconnectAccount(environment, account.id, { force: loses === true, keepProtected })
      toast.success(messages.disconnected)
      onClose()
    } catch (error) {
      toast.error(messages.disconnectFailed, { description: reasonOf(error) })
      setBusy(false)
    }
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={messages.disconnectTitle(account.name)}
      confirmLabel={busy ? messages.disconnecting : loses ? messages.disconnectAnyway : messages.disconnect}
      onConfirm={confirm}
      busy={busy || loses === null}
    >
      <RetryBoundary>
        <Suspense fallback={<p role="status">{messages.checkingLoss}</p>}>
          <Consequences id={account.id} onKnown={setLoses} keep={keepProtected} onKeep={setKeepProtected} />
        </Suspense>
      </RetryBoundary>
    </ConfirmDialog>
  )
}

type ConsequencesProps = {
  id: string
  onKnown: (loses: boolean) => void
  /** Whether copies of protected files stay. */
  keep: boolean
  onKeep: (keep: boolean) => void
}

function Consequences({ id, onKnown, keep, onKeep }: ConsequencesProps) {
  const { node } = useLazyLoadQuery<DisconnectDialogQuery>(
    graphql`
      query DisconnectDialogQuery($id: ID!) {
        node(id: $id) {
          ... on Account {
            lossPreview {
              lostFiles
              lostBytes
              keptFiles
              inPlaceLost
              inPlaceLostBytes
              inPlaceProtected
            }
          }
        }
      }
    `,
    { id },
    { fetchPolicy: 'network-only', fetchKey: useRetryKey() },
  )
  const loss = node?.lossPreview
  const keepId = useId()
  const lostFiles = loss?.lostFiles ?? 0
  useEffect(() => onKnown(lostFiles > 0), [lostFiles, onKnown])
  if (!loss) return null
  const { inPlaceLost, inPlaceLostBytes, inPlaceProtected } = loss
  return (
    <div className="grid gap-3">
      {lostFiles === 0 && loss.keptFiles === 0 && <p>{messages.disconnectSafe}</p>}
      {lostFiles > 0 && (
        <Notice tone="warning">{messages.disconnectLost(lostFiles, formatBytes(loss.lostBytes))}</Notice>
      )}
      {loss.keptFiles > 0 && <p>{messages.disconnectKept(loss.keptFiles)}</p>}
      {lostFiles > 0 && <p>{messages.disconnectReturn}</p>}
      {inPlaceLost + inPlaceProtected > 0 && (
        <p>{messages.ifLost(inPlaceLost, formatBytes(inPlaceLostBytes), inPlaceProtected)}</p>
      )}
      {inPlaceProtected > 0 && (
        <label className="hstack" htmlFor={keepId}>
          <Checkbox id={keepId} checked={keep} onChange={onKeep} />
          {messages.keepProtected}
        </label>
      )}
    </div>
  )
}
