import type { ReactNode } from 'react'
import { graphql, useLazyLoadQuery } from 'react-relay'
import type { FileSelection, ManyDetailsQuery } from '../../__generated__/ManyDetailsQuery.graphql.ts'
import { formatBytes, formatExactBytes } from '../../lib/formatBytes.ts'
import { useRetryKey } from '../../ui/RetryBoundary.tsx'
import { Property } from './Property.tsx'
import { counted } from './words.ts'

type Props = {
  readonly ids: readonly string[]
  /** Instead of `ids`: everything that it means. */
  readonly selection: FileSelection | null
  readonly close: ReactNode
}

/** What the selected entries come to, counted by the server: however many, the answer is as short. */
export function ManyDetails({ ids, selection, close }: Props) {
  const { viewer } = useLazyLoadQuery<ManyDetailsQuery>(
    graphql`
      query ManyDetailsQuery($ids: [ID!], $selection: FileSelection) {
        viewer {
          filesSummary(ids: $ids, selection: $selection) {
            count
            files
            folders
            contentBytes
            storedIn {
              id
              name
            }
          }
        }
      }
    `,
    selection ? { selection } : { ids },
    { fetchPolicy: 'store-or-network', fetchKey: useRetryKey() },
  )
  if (!viewer) return null
  const { count, files, folders, contentBytes: bytes, storedIn } = viewer.filesSummary
  const accounts = storedIn.map(({ name }) => name).sort()
  return (
    <>
      <header className="d-head">
        <div className="grow">
          <h2 className="h3">{count.toLocaleString()} selected</h2>
          <p className="meta subtle num">{formatBytes(bytes)}</p>
        </div>
        {close}
      </header>
      <section className="d-sec" aria-label="Properties">
        <dl className="props num">
          <Property name="Size">
            <span title={formatExactBytes(bytes)}>{formatBytes(bytes)}</span>
          </Property>
          <Property name="Contains">
            {[folders > 0 && counted(folders, 'folder'), files > 0 && counted(files, 'file')]
              .filter(Boolean)
              .join(', ')}
          </Property>
          {accounts.length > 0 && <Property name="Stored in">{accounts.join(', ')}</Property>}
        </dl>
      </section>
    </>
  )
}
