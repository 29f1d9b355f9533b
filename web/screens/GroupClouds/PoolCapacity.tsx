import { graphql, useFragment } from 'react-relay'
import type {
  PoolCapacity_groupCloud$data,
  PoolCapacity_groupCloud$key,
} from '../../__generated__/PoolCapacity_groupCloud.graphql.ts'
import { accountLabel } from '../../lib/accountLabel.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { PoolBar, UNKNOWN_WIDTH } from '../../ui/PoolBar.tsx'
import { describePool, type PoolSegment } from '../../ui/poolText.ts'
import styles from './GroupClouds.module.css'
import { messages } from './messages.ts'

/** How much is free of what is known, and the pool bar with the accounts' names below it. */
export function PoolCapacity({ groupCloud }: { groupCloud: PoolCapacity_groupCloud$key }) {
  const { members, quota } = useFragment(
    graphql`
      fragment PoolCapacity_groupCloud on GroupCloud {
        quota { freeBytes }
        members {
          account {
            id
            name
            provider
            providerName
            hue
            status
            unreachableSince
            quota {
              usedBytes
              reservedBytes
              totalBytes
              state
            }
          }
        }
      }
    `,
    groupCloud,
  )
  if (members.length === 0) return <p className="muted py-5">{messages.noMembers}</p>
  const accounts = members.map(({ account }) => account)
  const segments = accounts.map(segmentOf)
  return (
    <>
      <Figures accounts={accounts} room={quota.freeBytes} />
      <PoolBar size={28} segments={segments} label={describePool(segments)} detailed />
      <div className={`${styles.poolWithAxis} only-d flex`} aria-hidden>
        {accounts.map((account) => (
          <span
            key={account.id}
            className={styles.axis}
            style={{ flexGrow: account.quota.totalBytes ?? UNKNOWN_WIDTH }}
          >
            <span className="meta ell strong block">{accountLabel(account)}</span>
            <span className="meta ell subtle num block">{freeText(account)}</span>
          </span>
        ))}
      </div>
    </>
  )
}

type Account = PoolCapacity_groupCloud$data['members'][number]['account']

/** `room` counts copies; without it some account has no known limit, and what is known is summed up. */
function Figures({ accounts, room }: { accounts: readonly Account[]; room: number | null | undefined }) {
  // An expired account has no usable space.
  const usable = accounts.filter(({ status }) => status === 'CONNECTED')
  const known = usable.filter(({ quota }) => quota.totalBytes != null)
  const unlimited = usable.filter(({ quota }) => quota.state === 'UNLIMITED').length
  const unknown = usable.length - known.length - unlimited
  const free = room ?? known.reduce((sum, { quota }) => sum + freeBytes(quota), 0)
  const total = known.reduce((sum, { quota }) => sum + (quota.totalBytes ?? 0), 0)
  if (known.length === 0) {
    const text = unlimited > 0 ? messages.unlimited : messages.onlyUnknown
    return <p className="mt-5 mb-3 text-title font-semibold">{usable.length === 0 ? messages.noneUsable : text}</p>
  }
  const parts = [messages.free(formatBytes(total))]
  if (unknown > 0) parts.push(messages.plusUnknown(unknown))
  if (unlimited > 0) parts.push(messages.plusUnlimited(unlimited))
  return (
    <p className="num mt-5 mb-3 flex flex-wrap items-baseline gap-x-2">
      <span className="text-title font-semibold whitespace-nowrap">{formatBytes(free)}</span>
      <span className="muted">{parts.join(', ')}</span>
    </p>
  )
}

export function freeBytes({ usedBytes, reservedBytes, totalBytes }: Account['quota']): number {
  return Math.max((totalBytes ?? 0) - usedBytes - reservedBytes, 0)
}

function freeText({ quota, status, unreachableSince }: Account): string {
  if (status !== 'CONNECTED') return messages.states.expired
  if (unreachableSince) return messages.states.unreachable
  if (quota.state === 'UNLIMITED') return messages.unlimited
  return quota.totalBytes == null ? messages.unknown : messages.freeBytes(formatBytes(freeBytes(quota)))
}

function segmentOf(account: Account): PoolSegment {
  const { id, hue, status, quota } = account
  const { usedBytes, reservedBytes, totalBytes } = quota
  const segment = { id, name: accountLabel(account), hue, usedBytes, reservedBytes, totalBytes }
  return status === 'EXPIRED' ? { ...segment, state: 'expired' } : segment
}
