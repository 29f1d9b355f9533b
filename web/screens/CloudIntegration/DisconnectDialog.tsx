import { Suspense, useEffect, useState } from 'react'
import { graphql, useLazyLoadQuery, useRelayEnvironment } from 'react-relay'
import type { DisconnectDialogQuery } from '../../__generated__/DisconnectDialogQuery.graphql.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { RetryBoundary, useRetryKey } from '../../ui/RetryBoundary.tsx'
import { toast } from '../../ui/toast.ts'
import type { CardAccount } from './AccountCard.tsx'
import { disconnectAccount } from './disconnectAccount.ts'
import { words } from './words.ts'

type Props = { account: CardAccount; onClose: () => void }

/** Says what would be lost before anything is. Import it lazily, as Dialog. */
export function DisconnectDialog({ account, onClose }: Props) {
  const environment = useRelayEnvironment()
  const [busy, setBusy] = useState(false)
  /** Null until it is known. */
  const [loses, setLoses] = useState<boolean | null>(null)
  const confirm = async () => {
    setBusy(true)
    try {
      await disconnectAccount(environment, account.id, loses === true)
      toast.success(words.disconnected)
      onClose()
    } catch (error) {
      toast.error(words.disconnectFailed, { description: reasonOf(error) })
      setBusy(false)
    }
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={words.disconnectTitle(account.name)}
      confirmLabel={busy ? words.disconnecting : loses ? words.disconnectAnyway : words.disconnect}
      onConfirm={confirm}
      busy={busy || loses === null}
    >
      <RetryBoundary>
        <Suspense fallback={<p role="status">{words.checking}</p>}>
          <Consequences id={account.id} onKnown={setLoses} />
        </Suspense>
      </RetryBoundary>
    </ConfirmDialog>
  )
}

type ConsequencesProps = { id: string; onKnown: (loses: boolean) => void }

function Consequences({ id, onKnown }: ConsequencesProps) {
  const { node } = useLazyLoadQuery<DisconnectDialogQuery>(
    graphql`
      query DisconnectDialogQuery($id: ID!) {
        node(id: $id) {
          ... on Account {
            lossPreview {
              lostFiles
              lostBytes
              keptFiles
            }
          }
        }
      }
    `,
    { id },
    { fetchPolicy: 'network-only', fetchKey: useRetryKey() },
  )
  const loss = node?.lossPreview
  const lostFiles = loss?.lostFiles ?? 0
  useEffect(() => onKnown(lostFiles > 0), [lostFiles, onKnown])
  if (!loss) return null
  if (lostFiles === 0 && loss.keptFiles === 0) return <p>{words.disconnectSafe}</p>
  return (
    <div className="grid gap-3">
      {lostFiles > 0 && <Notice tone="warning">{words.disconnectLost(lostFiles, formatBytes(loss.lostBytes))}</Notice>}
      {loss.keptFiles > 0 && <p>{words.disconnectKept(loss.keptFiles)}</p>}
      {lostFiles > 0 && <p>{words.disconnectReturn}</p>}
    </div>
  )
}
