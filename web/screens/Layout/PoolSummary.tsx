import { graphql, useFragment } from 'react-relay'
import type { PoolSummary_viewer$data, PoolSummary_viewer$key } from '../../__generated__/PoolSummary_viewer.graphql.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { messages } from '../../lib/messages.ts'
import { PoolBar } from '../../ui/PoolBar.tsx'
import { describePool, type PoolSegment } from '../../ui/poolText.ts'
import { usePoolRefresh } from './usePoolRefresh.ts'

/** How much is free over all accounts, and the bar of them. */
export function PoolSummary({ viewer }: { viewer: PoolSummary_viewer$key }) {
  const { quota, accounts } = useFragment(
    graphql`
      fragment PoolSummary_viewer on User {
        quota {
          usedBytes
          reservedBytes
          totalBytes
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
  usePoolRefresh()
  const segments = accounts.map(segmentOf)
  return (
    <div className="sb-pool">
      <PoolFigures quota={quota} />
      <PoolBar size={6} segments={segments} label={describePool(segments)} />
    </div>
  )
}

function PoolFigures({ quota }: { quota: PoolSummary_viewer$data['quota'] }) {
  const { usedBytes, reservedBytes, totalBytes } = quota
  if (totalBytes == null) {
    return (
      <p className="hstack meta">
        <span className="strong num">{messages.sidebar.used(formatBytes(usedBytes))}</span>
      </p>
    )
  }
  return (
    <p className="hstack meta">
      <span className="strong num">
        {messages.sidebar.free(formatBytes(Math.max(totalBytes - usedBytes - reservedBytes, 0)))}
      </span>
      <span className="subtle num">{messages.sidebar.of(formatBytes(totalBytes))}</span>
    </p>
  )
}

function segmentOf({ id, name, hue, status, quota }: PoolSummary_viewer$data['accounts'][number]): PoolSegment {
  return { id, name, hue, ...quota, ...(status === 'EXPIRED' && { state: 'expired' as const }) }
}
