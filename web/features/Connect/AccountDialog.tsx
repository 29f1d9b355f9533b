import { Suspense, useEffect } from 'react'
import { graphql, useLazyLoadQuery, useRelayEnvironment } from 'react-relay'
import type { AccountDialogQuery } from '../../__generated__/AccountDialogQuery.graphql.ts'
import { useRetryKey } from '../../lib/retryKey.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { RetryBoundary } from '../../ui/RetryBoundary.tsx'
import { toast } from '../../ui/toast.ts'
import { refreshAccountIndex } from './accountIndex.ts'
import { DisconnectDialog } from './DisconnectDialog.tsx'
import { IndexSettingsDialog } from './IndexSettingsDialog.tsx'
import { messages } from './messages.ts'
import { ReconnectDialog } from './ReconnectDialog.tsx'
import { useReconnect } from './useConnect.ts'

export type AccountAction = 'lookAgain' | 'indexSettings' | 'reconnect' | 'disconnect'

type Props = {
  readonly accountId: string
  readonly action: AccountAction
  readonly onClose: () => void
}

/** What was chosen in the menu of the folder that shows an account. Import it lazily, like Dialog. */
export function AccountDialog(props: Props) {
  return (
    <RetryBoundary fallback={(error) => error}>
      <Suspense>
        <Chosen {...props} />
      </Suspense>
    </RetryBoundary>
  )
}

function Chosen({ accountId, action, onClose }: Props) {
  const { node } = useLazyLoadQuery<AccountDialogQuery>(
    graphql`
      query AccountDialogQuery($id: ID!) {
        node(id: $id) {
          ... on Account {
            name
            provider
            providerName
            connectsBy
          }
        }
      }
    `,
    { id: accountId },
    { fetchPolicy: 'store-or-network', fetchKey: useRetryKey() },
  )
  const { name, provider, providerName, connectsBy } = node ?? {}
  if (name === undefined || provider === undefined || providerName === undefined) return null
  const account = { id: accountId, name, provider, providerName }
  if (action === 'indexSettings') return <IndexSettingsDialog accountId={accountId} name={name} onClose={onClose} />
  if (action === 'disconnect') return <DisconnectDialog account={account} onClose={onClose} />
  if (action === 'lookAgain') return <LookAgain account={account} onClose={onClose} />
  if (connectsBy === 'FORM')
    return <ReconnectDialog accountId={accountId} provider={provider} name={name} onClose={onClose} />
  return <Reconnect account={account} onClose={onClose} />
}

type ActionProps = {
  readonly account: {
    readonly id: string
    readonly name: string
    readonly provider: string
    readonly providerName: string
  }
  readonly onClose: () => void
}

/** Browsers open the provider's window only in the handler of a click, which the menu's own is too early for. */
function Reconnect({ account: { id, name, provider, providerName }, onClose }: ActionProps) {
  const { run, cancel, busy } = useReconnect()
  const close = () => {
    cancel()
    onClose()
  }
  const confirm = async () => {
    if ((await run({ provider, id })) !== null) onClose()
  }
  return (
    <ConfirmDialog
      open
      danger={false}
      onClose={close}
      title={messages.reconnectTitle(name)}
      confirmLabel={messages.reconnect}
      onConfirm={() => void confirm()}
      busy={busy}
    >
      <p>{busy ? messages.waiting : messages.reconnectText(providerName)}</p>
    </ConfirmDialog>
  )
}

/** Shows nothing but a toast. */
function LookAgain({ account: { id, name }, onClose }: ActionProps) {
  const environment = useRelayEnvironment()
  useEffect(() => {
    refreshAccountIndex(environment, id).then(
      () => toast.success(messages.index.looking(name)),
      (error: unknown) => toast.error(messages.index.lookFailed, { description: reasonOf(error) }),
    )
    onClose()
  }, [environment, id, name, onClose])
  return null
}
