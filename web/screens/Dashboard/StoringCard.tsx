import { graphql, useFragment } from 'react-relay'
import type { StoringCard_viewer$key } from '../../__generated__/StoringCard_viewer.graphql.ts'
import { StoringList } from '../../features/Transfers/StoringList.tsx'
import { useStoring } from '../../features/Transfers/useStoring.ts'
import { words } from './words.ts'

/** Copies on their way to their accounts; nothing while there are none. */
export function StoringCard({ viewer }: { viewer: StoringCard_viewer$key }) {
  const user = useFragment(
    graphql`
      fragment StoringCard_viewer on User {
        ...useStoring_viewer
      }
    `,
    viewer,
  )
  const transfers = useStoring(user)
  if (transfers.length === 0) return null
  return (
    <section className="card dstoring" aria-labelledby="storing-now">
      <div className="dhead">
        <h2 className="h3 grow" id="storing-now">
          {words.transfers}
        </h2>
        <span className="meta subtle num">{transfers.length}</span>
      </div>
      <StoringList transfers={transfers} />
    </section>
  )
}
