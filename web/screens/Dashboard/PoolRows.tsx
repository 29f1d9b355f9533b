import { Link } from 'react-router'
import { PoolBar } from '../../ui/PoolBar.tsx'
import { describePool } from '../../ui/poolText.ts'
import styles from './Dashboard.module.css'
import { messages } from './messages.ts'
import { type Quota, type StorageAccount, segmentOf, totalOf } from './storage.ts'

export type PoolRow = {
  readonly id: string
  readonly name: string
  readonly quota: Quota
  readonly accounts: readonly StorageAccount[]
}

/** One bar per group cloud. An account may be in several: the bars do not add up. */
export function PoolRows({ pools }: { pools: readonly PoolRow[] }) {
  return (
    <ul className={styles.pools}>
      {pools.map(({ id, name, accounts }) => (
        <li key={id}>
          <div className="hstack justify-between">
            <Link className="strong ell" to="/group-cloud">
              {name}
            </Link>
            <Figures accounts={accounts} />
          </div>
          {accounts.length > 0 && <Bar accounts={accounts} />}
        </li>
      ))}
    </ul>
  )
}

function Figures({ accounts }: { accounts: readonly StorageAccount[] }) {
  if (accounts.length === 0) return <span className="meta subtle">{messages.noMembers}</span>
  const { figure, text } = totalOf(accounts)
  return (
    <span className="meta num subtle">
      <span className="strong">{figure}</span> {text}
    </span>
  )
}

function Bar({ accounts }: { accounts: readonly StorageAccount[] }) {
  const segments = accounts.map(segmentOf)
  return <PoolBar size={12} segments={segments} label={describePool(segments)} detailed />
}
