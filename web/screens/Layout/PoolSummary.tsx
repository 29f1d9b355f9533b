import { graphql, useFragment } from 'react-relay'
import type { PoolSummary_viewer$data, PoolSummary_viewer$key } from '../../__generated__/PoolSummary_viewer.graphql.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { PoolBar } from '../../ui/PoolBar.tsx'
import { describePool, type PoolSegment } from '../../ui/poolText.ts'
import styles from './Layout.module.css'
import { messages } from './messages.ts'
import { usePoolRefresh } from './usePoolRefresh.ts'

/** How much is free over all accounts that group clouds use, and the bar of them. */
export function PoolSummary({ viewer }: { viewer: PoolSummary_viewer$key }) {
  const { quota, accounts, groupClouds } = useFragment(
    graphql`
      fragment PoolSummary_viewer on User {
        quota {
          usedBytes
          totalBytes
          freeBytes
        }
        groupClouds {
          id
          members { account { id } }
        }
        accounts {
          id
          name
          hue
          status
          quota {
            usedBytes
            reservedBytes
            totalBytes
          }
        }
      }
    `,
    viewer,
  )
  usePoolRefresh(accounts.map(({ id }) => id))
  // What no group cloud uses takes no uploads: its space is not there to be used.
  // A query that lists group clouds by name has no members of a new one yet: the page must not fail for it.
  const used = new Set(groupClouds.flatMap(({ members }) => members?.map(({ account }) => account.id) ?? []))
  const segments = accounts.filter(({ id }) => used.has(id)).map(segmentOf)
  return (
    <div className={styles.pool} data-testid="pool-summary">
      <PoolFigures quota={quota} />
      <PoolBar size={6} segments={segments} label={describePool(segments)} />
    </div>
  )
}

function PoolFigures({ quota }: { quota: PoolSummary_viewer$data['quota'] }) {
  const { usedBytes, totalBytes, freeBytes } = quota
  if (freeBytes == null) {
    return (
      <p className="hstack meta">
        <span className="strong num">{messages.used(formatBytes(usedBytes))}</span>
      </p>
    )
  }
  return (
    <p className="hstack meta">
      <span className="strong num">{messages.free(formatBytes(freeBytes))}</span>
      {totalBytes != null && <span className="subtle num">{messages.of(formatBytes(totalBytes))}</span>}
    </p>
  )
}

function segmentOf({ id, name, hue, status, quota }: PoolSummary_viewer$data['accounts'][number]): PoolSegment {
  return { id, name, hue, ...quota, ...(status === 'EXPIRED' && { state: 'expired' as const }) }
}
