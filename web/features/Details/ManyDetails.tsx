import type { ReactNode } from 'react'
import { graphql, useLazyLoadQuery } from 'react-relay'
import type { FileSelection, ManyDetailsQuery } from '../../__generated__/ManyDetailsQuery.graphql.ts'
import { formatBytes, formatExactBytes } from '../../lib/formatBytes.ts'
import { useRetryKey } from '../../lib/retryKey.ts'
import styles from './Details.module.css'
import { counted } from './messages.ts'
import { Property } from './Property.tsx'

type Props = {
  readonly ids: readonly string[]
  /** Instead of `ids`: everything in a list. */
  readonly selection: FileSelection | null
  readonly close: ReactNode
}

/** The totals of the selected entries, computed by the server: the response is small for any number of entries. */
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
      <header className={styles.head}>
        <div className="grow">
          <h2 className="h3">{count.toLocaleString()} selected</h2>
          <p className="meta subtle num">{formatBytes(bytes)}</p>
        </div>
        {close}
      </header>
      <section className={styles.section} aria-label="Properties">
        <dl className={`${styles.props} num`}>
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
