import { accountLabel } from '../../lib/accountLabel.ts'
import { cx } from '../../lib/cx.ts'
import cardStyles from '../../ui/Card.module.css'
import styles from './Dashboard.module.css'
import { messages } from './messages.ts'
import type { PoolRow } from './PoolRows.tsx'
import { figuresOf, type StorageAccount } from './storage.ts'

const { columns } = messages

type Props = {
  view: 'account' | 'groupCloud'
  accounts: readonly StorageAccount[]
  pools: readonly PoolRow[]
}

/** The same as the bars, in figures. */
export function StorageTable({ view, accounts, pools }: Props) {
  const isByAccount = view === 'account'
  const label = isByAccount ? messages.byAccount : messages.byGroupCloud
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1)
    <section className={`${styles.table} ${cardStyles.card}`} tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            <th scope="col">{isByAccount ? columns.account : columns.groupCloud}</th>
            <th scope="col">{columns.used}</th>
            <th scope="col">{columns.free}</th>
            <th scope="col">{columns.total}</th>
            <th scope="col">{isByAccount ? columns.state : columns.account}</th>
          </tr>
        </thead>
        <tbody>
          {isByAccount
            ? accounts.map((account) => (
                <Row key={account.id} name={accountLabel(account)} quota={account.quota} {...stateOf(account)} />
              ))
            : pools.map((pool) => (
                <Row
                  key={pool.id}
                  name={pool.name}
                  quota={pool.quota}
                  end={messages.accountsIn(pool.accounts.length)}
                />
              ))}
        </tbody>
      </table>
    </section>
  )
}

type RowProps = { name: string; quota: StorageAccount['quota']; end: string; isLost?: boolean }

function Row({ name, quota, end, isLost = false }: RowProps) {
  const [used, free, total] = figuresOf(quota)
  return (
    <tr>
      <th scope="row">{name}</th>
      <td className="num">{used}</td>
      <td className="num">{free}</td>
      <td className="num">{total}</td>
      <td className={cx(isLost && 't-warning')}>{end}</td>
    </tr>
  )
}

function stateOf({ status, unreachableSince }: StorageAccount): { end: string; isLost: boolean } {
  if (status === 'EXPIRED') return { end: messages.expired, isLost: true }
  return unreachableSince ? { end: messages.unreachable, isLost: true } : { end: messages.connected, isLost: false }
}
