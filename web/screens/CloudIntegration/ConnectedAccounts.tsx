import { Suspense, useState } from 'react'
import { graphql, type PreloadedQuery, useFragment } from 'react-relay'
import type { OperationType } from 'relay-runtime'
import type { ConnectedAccounts_viewer$key } from '../../__generated__/ConnectedAccounts_viewer.graphql.ts'
import type { ConnectedAccountsRiskQuery } from '../../__generated__/ConnectedAccountsRiskQuery.graphql.ts'
import { useFreshQuotas } from '../../features/Connect/useFreshQuotas.ts'
import { useRefresh } from '../../features/Live/useRefresh.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { lateDialog } from '../../ui/lateDialog.tsx'
import { AccountCard, type CardAccount } from './AccountCard.tsx'
import styles from './CloudIntegration.module.css'
import { messages } from './messages.ts'

const DisconnectDialog = lateDialog(() =>
  import('../../features/Connect/DisconnectDialog.tsx').then((file) => file.DisconnectDialog),
)

const risk = graphql`
  query ConnectedAccountsRiskQuery {
    viewer {
      id
      accounts {
        id
        atRiskFiles
      }
    }
  }
`

type Props = {
  /** The query of the page. */
  page: PreloadedQuery<OperationType>
  viewer: ConnectedAccounts_viewer$key
  /** Ids of providers whose settings are missing on this server. */
  notSetUp: readonly string[]
  onAdd: () => void
  onAddToPool: (account: CardAccount) => void
}

/** One card per account; those with a problem first. This server's own storage is not a connection. */
export function ConnectedAccounts({ page, viewer, notSetUp, onAdd, onAddToPool }: Props) {
  const { accounts, groupClouds } = useFragment(
    graphql`
      fragment ConnectedAccounts_viewer on User {
        accounts {
          id
          provider
          status
          unreachableSince
          atRiskFiles
          ...AccountCard_account
        }
        groupClouds {
          id
          members { account { id } }
        }
      }
    `,
    viewer,
  )
  // Files are made safe one by one, without a change of the account.
  useRefresh<ConnectedAccountsRiskQuery>(
    page,
    risk,
    accounts.some(({ atRiskFiles }) => atRiskFiles > 0),
  )
  const [leaving, setLeaving] = useState<CardAccount | null>(null)
  const connected = accounts.filter(({ provider }) => provider !== 'local').toSorted((a, b) => trouble(b) - trouble(a))
  const pooled = new Set(groupClouds.flatMap(({ members }) => members.map((member) => member.account.id)))
  const isReading = useFreshQuotas(connected.map(({ id }) => id))
  if (connected.length === 0) {
    return (
      <EmptyState title={messages.emptyTitle} text={messages.emptyText}>
        <Button variant="primary" onClick={onAdd}>
          {messages.addCloudStorage}
        </Button>
      </EmptyState>
    )
  }
  return (
    <>
      <div className={styles.cards}>
        {connected.map((account) => (
          <AccountCard
            key={account.id}
            account={account}
            isReading={isReading}
            onDisconnect={setLeaving}
            isNotSetUp={notSetUp.includes(account.provider)}
            isPooled={pooled.has(account.id)}
            onAddToPool={onAddToPool}
          />
        ))}
      </div>
      <Suspense fallback={null}>
        {leaving && <DisconnectDialog account={leaving} onClose={() => setLeaving(null)} />}
      </Suspense>
    </>
  )
}

type Troubled = { readonly status: string; readonly unreachableSince: string | null | undefined }

function trouble({ status, unreachableSince }: Troubled): number {
  if (status === 'EXPIRED') return 2
  return unreachableSince ? 1 : 0
}
