import { graphql, useLazyLoadQuery } from 'react-relay'
import type { DuplicateFilter, ReclaimableBarQuery } from '../../__generated__/ReclaimableBarQuery.graphql.ts'
import { accountLabel } from '../../lib/accountLabel.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { hueStyle } from '../../ui/hue.ts'
import poolBarStyles from '../../ui/PoolBar.module.css'
import { POOL, type Rule, ruleInput } from './choice.ts'
import styles from './Duplicates.module.css'
import { messages } from './messages.ts'

const query = graphql`
  query ReclaimableBarQuery($filter: DuplicateFilter!, $keep: DuplicateRule!, $keepIn: ID) {
    viewer {
      id
      duplicateSummary(filter: $filter) {
        reclaimable(keep: $keep, keepIn: $keepIn) {
          bytes
          account {
            id
            name
            provider
            providerName
            hue
          }
        }
      }
    }
  }
`

type Props = { filter: DuplicateFilter; rule: Rule /** Changes when the groups have changed. */; bytes: number }

/** Where a rule would free how much, if it were applied to all groups. */
export function ReclaimableBar({ filter, rule, bytes }: Props) {
  const input = ruleInput(rule)
  const { viewer } = useLazyLoadQuery<ReclaimableBarQuery>(
    query,
    { filter, ...input },
    { fetchPolicy: 'store-and-network', fetchKey: bytes },
  )
  const parts = (viewer?.duplicateSummary.reclaimable ?? []).map(({ account, bytes: size }) => ({
    id: account?.id ?? POOL,
    label: account ? accountLabel(account) : messages.pool,
    hue: account?.hue ?? 0,
    size,
  }))
  if (parts.length === 0) return null
  return (
    <div className={styles.bar}>
      <div
        className={`${poolBarStyles.pool} ${poolBarStyles.height12}`}
        role="img"
        aria-label={messages.barLabel(parts.map(({ label, size }) => `${label} ${formatBytes(size)}`))}
      >
        {parts.map(({ id, hue, size }) => (
          <span
            key={id}
            className={poolBarStyles.segment}
            style={{ ...hueStyle(hue), '--u': '100%', flexGrow: size } as React.CSSProperties}
          />
        ))}
      </div>
      <ul className={styles.legend}>
        {parts.map(({ id, label, hue, size }) => (
          <li key={id} className="meta">
            <span className={styles.swatch} style={hueStyle(hue)} aria-hidden />
            <span className="ell">{label}</span>
            <span className="strong num">{formatBytes(size)}</span>
          </li>
        ))}
        <li className="meta subtle">{messages.ifKept[input.keep]}</li>
      </ul>
    </div>
  )
}
