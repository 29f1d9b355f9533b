import { graphql, useFragment } from 'react-relay'
import type { StoringCard_viewer$key } from '../../__generated__/StoringCard_viewer.graphql.ts'
import { StoringList } from '../../features/Transfers/StoringList.tsx'
import { useStoring } from '../../features/Transfers/useStoring.ts'
import cardStyles from '../../ui/Card.module.css'
import styles from './Dashboard.module.css'
import { messages } from './messages.ts'

/** Transfers to the accounts; nothing without any. */
export function StoringCard({ viewer }: { viewer: StoringCard_viewer$key }) {
  const user = useFragment(
    graphql`
      fragment StoringCard_viewer on User {
        ...useStoring_viewer
      }
    `,
    viewer,
  )
  const { storing: transfers } = useStoring(user)
  if (transfers.length === 0) return null
  return (
    <section className={`${cardStyles.card} ${styles.storing}`} aria-labelledby="storing-now">
      <div className={styles.head}>
        <h2 className="h3 grow" id="storing-now">
          {messages.transfers}
        </h2>
        <span className="meta subtle num">{transfers.length}</span>
      </div>
      <StoringList transfers={transfers} />
    </section>
  )
}
