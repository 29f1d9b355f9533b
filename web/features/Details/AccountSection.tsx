import { Plug, RefreshCw, Settings2, Unplug } from 'lucide-react'
import { Suspense, useState } from 'react'
import { graphql, useLazyLoadQuery } from 'react-relay'
import type { AccountSectionQuery, AccountSectionQuery$data } from '../../__generated__/AccountSectionQuery.graphql.ts'
import { accountLabel } from '../../lib/accountLabel.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { formatRelative } from '../../lib/formatDate.ts'
import { useRetryKey } from '../../lib/retryKey.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { lateDialog } from '../../ui/lateDialog.tsx'
import { PoolBar } from '../../ui/PoolBar.tsx'
import { Progress } from '../../ui/Progress.tsx'
import { describeSegment } from '../../ui/poolText.ts'
import type { AccountAction } from '../Connect/AccountDialog.tsx'
import { timeLeft } from '../Connect/timeLeft.ts'
import styles from './Details.module.css'
import { Property } from './Property.tsx'

const AccountDialog = lateDialog(() => import('../Connect/AccountDialog.tsx').then((file) => file.AccountDialog))

/** Of the folder that shows an account: how far it is listed, its space, and what can be done with it. Import it lazily. */
export function AccountSection({ accountId }: { accountId: string }) {
  const { node } = useLazyLoadQuery<AccountSectionQuery>(
    graphql`
      query AccountSectionQuery($id: ID!) {
        node(id: $id) {
          ... on Account {
            id
            name
            provider
            providerName
            email
            hue
            status
            quota { usedBytes reservedBytes totalBytes freeBytes }
            index { phase entries expected startedAt asOf problem heldDeletions }
          }
        }
      }
    `,
    { id: accountId },
    { fetchPolicy: 'store-and-network', fetchKey: useRetryKey() },
  )
  // It may have been disconnected in the meantime.
  if (node?.id === undefined || !node.index) return null
  return (
    <>
      <Listing index={node.index} />
      <Space account={node} />
      <Actions accountId={accountId} isExpired={node.status === 'EXPIRED'} />
    </>
  )
}

type Account = NonNullable<AccountSectionQuery$data['node']>
type Index = NonNullable<Account['index']>

function Listing({ index }: { index: Index }) {
  const { phase, entries, expected, asOf, problem } = index
  const count = entries.toLocaleString()
  if (phase !== 'FIRST_PASS') {
    return (
      <section className={styles.section} aria-label="Account">
        <dl className={`${styles.props} num`}>
          <Property name="Entries">{entries === 0 && asOf == null ? 'Not listed yet' : count}</Property>
          {asOf && <Property name={phase === 'WALK' ? 'Listed' : 'Checked'}>{formatRelative(asOf)}</Property>}
          {problem && <Property name="Problem">{problem}</Property>}
        </dl>
      </section>
    )
  }
  const left = timeLeft(index, Date.now())
  return (
    <section className={styles.section} aria-label="Listing files">
      <h3 className="strong">Listing files</h3>
      {entries > 0 && (
        <p className="num">
          <span className="strong">{count}</span> <span className="muted">found so far</span>
        </p>
      )}
      {expected != null && expected > 0 && <Progress value={entries} max={expected} label="Listing files" />}
      {left && <p className="meta subtle num">{left}</p>}
      <p className="meta subtle">
        You can open, search and download what has been found. It continues when you close this page.
      </p>
    </section>
  )
}

function Space({ account }: { account: Account }) {
  const { id = '', name = '', provider = '', providerName = '', hue = 0, status, quota } = account
  if (!quota) return null
  const { usedBytes, reservedBytes, totalBytes, freeBytes } = quota
  const figures = {
    id,
    name: accountLabel({ name, provider, providerName }),
    hue,
    usedBytes,
    reservedBytes,
    totalBytes,
  }
  const segment = status === 'EXPIRED' ? { ...figures, state: 'expired' as const } : figures
  const free = freeBytes == null ? null : `${formatBytes(freeBytes)} free`
  return (
    <section className={styles.section} aria-label="Space in this account">
      <header>
        <h3 className="strong">Space in this account</h3>
        <span className="meta muted num">
          {free === null
            ? `${formatBytes(usedBytes)} used`
            : totalBytes == null
              ? free
              : `${free} of ${formatBytes(totalBytes)}`}
        </span>
      </header>
      <PoolBar segments={[segment]} label={describeSegment(segment)} />
    </section>
  )
}

const ACTIONS = [
  { action: 'lookAgain', label: 'Look again now', icon: RefreshCw },
  { action: 'indexSettings', label: 'Index settings', icon: Settings2 },
  { action: 'reconnect', label: 'Re-connect', icon: Plug },
  { action: 'disconnect', label: 'Disconnect', icon: Unplug },
] as const satisfies readonly { action: AccountAction; label: string; icon: unknown }[]

/** The same as in its menu, without what is not possible now. */
function Actions({ accountId, isExpired }: { accountId: string; isExpired: boolean }) {
  const [chosen, setChosen] = useState<AccountAction | null>(null)
  return (
    <section className={styles.section} aria-label="Actions">
      <div className="hstack flex-wrap">
        {ACTIONS.filter(({ action }) => action !== 'lookAgain' || !isExpired).map(({ action, label, icon }) => (
          <button
            key={action}
            type="button"
            className={buttonClass(action === 'disconnect' ? 'danger' : 'default', 'sm')}
            onClick={() => setChosen(action)}
          >
            <Icon icon={icon} size={14} />
            {label}
          </button>
        ))}
      </div>
      <Suspense>
        {chosen && <AccountDialog accountId={accountId} action={chosen} onClose={() => setChosen(null)} />}
      </Suspense>
    </section>
  )
}
