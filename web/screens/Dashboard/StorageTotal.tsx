import { CopyCheck } from 'lucide-react'
import { useId, useState } from 'react'
import { graphql, useFragment } from 'react-relay'
import { Link } from 'react-router'
import type { StorageTotal_viewer$key } from '../../__generated__/StorageTotal_viewer.graphql.ts'
import { useFreshQuotas } from '../../features/Connect/useFreshQuotas.ts'
import { accountLabel } from '../../lib/accountLabel.ts'
import { cx } from '../../lib/cx.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { hueStyle } from '../../ui/hue.ts'
import { Icon } from '../../ui/Icon.tsx'
import { PoolBar } from '../../ui/PoolBar.tsx'
import { describePool } from '../../ui/poolText.ts'
import segmentedControlStyles from '../../ui/SegmentedControl.module.css'
import { Switch } from '../../ui/Switch.tsx'
import styles from './Dashboard.module.css'
import { messages } from './messages.ts'
import { type PoolRow, PoolRows } from './PoolRows.tsx'
import { StorageTable } from './StorageTable.tsx'
import { legendOf, type StorageAccount, segmentOf, totalOf } from './storage.ts'

type View = 'account' | 'groupCloud'

/** The free space of all accounts: as a pool bar, by group cloud, or as a table. */
export function StorageTotal({ viewer }: { viewer: StorageTotal_viewer$key }) {
  const { accounts, groupClouds, quota } = useFragment(
    graphql`
      fragment StorageTotal_viewer on User {
        quota { totalBytes freeBytes }
        accounts {
          id
          name
          provider
          providerName
          hue
          status
          unreachableSince
          quota {
            state
            usedBytes
            reservedBytes
            totalBytes
            freeBytes
          }
        }
        groupClouds {
          id
          name
          quota {
            state
            usedBytes
            reservedBytes
            totalBytes
            freeBytes
          }
          members {
            account {
              id
            }
          }
        }
      }
    `,
    viewer,
  )
  const [view, setView] = useState<View>('account')
  const [isTable, setTable] = useState(false)
  useFreshQuotas(
    accounts.filter(({ provider, status }) => provider !== 'local' && status === 'CONNECTED').map(({ id }) => id),
  )
  const byId = new Map(accounts.map((account) => [account.id, account]))
  const pools: readonly PoolRow[] = groupClouds.map(({ members, ...groupCloud }) => ({
    ...groupCloud,
    accounts: members.flatMap(({ account }) => byId.get(account.id) ?? []),
  }))
  const { figure, text } = totalOf(accounts, quota)
  return (
    <section aria-label={messages.storage}>
      <div className={styles.hero}>
        <p className={`num ${styles.figure}`}>
          <span>{figure}</span> <span className="muted">{text}</span>
        </p>
        <Link className="link meta" to="/file-manager/room">
          {messages.whatTakesRoom}
        </Link>
        <StorageControls {...{ view, setView, isTable, setTable }} />
      </div>
      {isTable && <StorageTable view={view} accounts={accounts} pools={pools} />}
      {!isTable && view === 'account' && <AccountsBar accounts={accounts} />}
      {!isTable && view === 'groupCloud' && <PoolRows pools={pools} />}
    </section>
  )
}

type ControlsProps = {
  view: View
  setView: (view: View) => void
  isTable: boolean
  setTable: (isTable: boolean) => void
}

function StorageControls({ view, setView, isTable, setTable }: ControlsProps) {
  const id = useId()
  const choice = (value: View, label: string) => (
    <button type="button" aria-pressed={view === value} onClick={() => setView(value)}>
      {label}
    </button>
  )
  return (
    <div className={styles.controls}>
      <Link className={buttonClass('default', 'sm')} to="/file-manager/duplicates">
        <Icon icon={CopyCheck} size={14} />
        {messages.findDuplicates}
      </Link>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be a form's */}
      <div className={`${segmentedControlStyles.control} ${styles.text}`} role="group" aria-label={messages.show}>
        {choice('account', messages.byAccount)}
        {choice('groupCloud', messages.byGroupCloud)}
      </div>
      <span className="hstack">
        <label className="meta muted" htmlFor={id}>
          {messages.showTable}
        </label>
        <Switch id={id} checked={isTable} onChange={setTable} />
      </span>
    </div>
  )
}

function AccountsBar({ accounts }: { accounts: readonly StorageAccount[] }) {
  const segments = accounts.map(segmentOf)
  return (
    <>
      <div className="mt-4">
        <PoolBar size={28} segments={segments} label={describePool(segments)} detailed />
      </div>
      <ul className={styles.legend}>
        {accounts.map((account) => (
          <Legend key={account.id} account={account} />
        ))}
      </ul>
    </>
  )
}

function Legend({ account }: { account: StorageAccount }) {
  const { text, whole, isLost } = legendOf(account)
  const isUnknown = account.quota.totalBytes == null
  const swatch = account.status === 'EXPIRED' ? styles.expired : isUnknown && styles.unknown
  return (
    <li className="hstack">
      <span className={cx(styles.swatch, swatch)} style={hueStyle(account.hue)} aria-hidden />
      <span className="grow">
        <span className="ell strong block" title={accountLabel(account)}>
          {accountLabel(account)}
        </span>
        <span className={cx('meta num ell block', isLost ? 't-warning' : 'subtle')}>
          <span className="only-d inline">{whole}</span>
          <span className="only-m">{text}</span>
        </span>
      </span>
    </li>
  )
}
