import type { ReactNode } from 'react'
import { graphql, useLazyLoadQuery } from 'react-relay'
import type { ManyDetailsQuery } from '../../__generated__/ManyDetailsQuery.graphql.ts'
import { formatBytes, formatExactBytes } from '../../lib/formatBytes.ts'
import { useRetryKey } from '../../ui/RetryBoundary.tsx'
import { Property } from './Property.tsx'
import { sumSelection } from './sumSelection.ts'
import { counted } from './words.ts'

/** More than this are summed up from a part, and the panel says so. */
const MOST_IDS = 100

export function ManyDetails({ ids, close }: { ids: readonly string[]; close: ReactNode }) {
  const { nodes } = useLazyLoadQuery<ManyDetailsQuery>(
    graphql`
      query ManyDetailsQuery($ids: [ID!]!) {
        nodes(ids: $ids) {
          ... on File { id kind size contentSize storedIn { id name } }
        }
      }
    `,
    { ids: ids.slice(0, MOST_IDS) },
    { fetchPolicy: 'store-or-network', fetchKey: useRetryKey() },
  )
  const { bytes, files, folders, accounts } = sumSelection(nodes)
  const isPart = ids.length > MOST_IDS
  return (
    <>
      <header className="d-head">
        <div className="grow">
          <h2 className="h3">{ids.length.toLocaleString()} selected</h2>
          <p className="meta subtle num">{formatBytes(bytes)}</p>
        </div>
        {close}
      </header>
      <section className="d-sec" aria-label="Properties">
        <dl className="props num">
          <Property name="Size">
            <span title={formatExactBytes(bytes)}>{formatBytes(bytes)}</span>
          </Property>
          <Property name="Holds">
            {[folders > 0 && counted(folders, 'folder'), files > 0 && counted(files, 'file')]
              .filter(Boolean)
              .join(', ')}
          </Property>
          {accounts.length > 0 && <Property name="Stored in">{accounts.join(', ')}</Property>}
        </dl>
        {isPart && <p className="why">Summed up over the first {MOST_IDS} of them.</p>}
      </section>
    </>
  )
}
