import { EllipsisVertical, TriangleAlert } from 'lucide-react'
import { graphql, useFragment } from 'react-relay'
import type { MemberRow_member$data, MemberRow_member$key } from '../../__generated__/MemberRow_member.graphql.ts'
import { accountLabel } from '../../lib/accountLabel.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { AccountMark } from '../../ui/AccountMark.tsx'
import badgeStyles from '../../ui/Badge.module.css'
import { Badge } from '../../ui/Badge.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { PoolBar } from '../../ui/PoolBar.tsx'
import { describeSegment, type PoolSegment } from '../../ui/poolText.ts'
import styles from './GroupClouds.module.css'
import { messages } from './messages.ts'
import { freeBytes } from './PoolCapacity.tsx'
import type { MemberActions } from './useMembers.ts'

export type KeepFree = { readonly accountId: string; readonly name: string; readonly bytes: number }

export type AskedMember = Pick<KeepFree, 'accountId' | 'name'>

type Props = {
  member: MemberRow_member$key
  index: number
  count: number
  actions: MemberActions
  onKeepFree: (member: KeepFree) => void
  /** Asks before the account may hold the only copy of a file. */
  onAllowOnlyCopy: (member: AskedMember) => void
}

/** Below this part of free space, the row shows a warning. */
const NEARLY_FULL = 0.2

export function MemberRow({ member, index, count, actions, onKeepFree, onAllowOnlyCopy }: Props) {
  const data = useFragment(
    graphql`
      fragment MemberRow_member on GroupCloudMember {
        keepFreeBytes
        draining
        allowOnlyCopy
        account {
          id
          name
          provider
          providerName
          glyph
          hue
          status
          unreachableSince
          poolUse
          quota {
            usedBytes
            reservedBytes
            totalBytes
            state
          }
        }
      }
    `,
    member,
  )
  const { account, keepFreeBytes } = data
  const { quota } = account
  const segment = segmentOf(data)
  return (
    <li className={`${styles.row} ${styles.members}`}>
      <span className="hstack min-w-0 gap-3">
        <AccountMark glyph={account.glyph} hue={account.hue} size={24} />
        <span className="grow min-w-0">
          <span className="ell strong block">{accountLabel(account)}</span>
          {keepFreeBytes > 0 && (
            <span className="meta subtle num block">{messages.member.keepsFree(formatBytes(keepFreeBytes))}</span>
          )}
          {account.poolUse === 'EXTRA_COPIES' && (
            <span className="meta subtle block">
              {data.allowOnlyCopy ? messages.onlyCopy.isAllowed : messages.onlyCopy.isExtra}
            </span>
          )}
          <span className="only-m meta subtle num">{usage(data)}</span>
        </span>
      </span>
      <span className="only-d">
        <PoolBar size={6} segments={[segment]} label={describeSegment(segment)} />
      </span>
      <span className="only-d num muted text-end" aria-hidden>
        {formatBytes(quota.usedBytes)}
      </span>
      <span className="only-d num muted text-end" aria-hidden>
        {freeText(data)}
      </span>
      <span>
        <State data={data} />
      </span>
      <span>
        <MemberMenu {...{ data, index, count, actions, onKeepFree, onAllowOnlyCopy }} />
      </span>
    </li>
  )
}

type Data = MemberRow_member$data

function segmentOf({ account }: Data): PoolSegment {
  const { id, name, hue, status, quota } = account
  const { usedBytes, reservedBytes, totalBytes } = quota
  const segment = { id, name, hue, usedBytes, reservedBytes, totalBytes }
  return status === 'EXPIRED' ? { ...segment, state: 'expired' } : segment
}

function freeText({ account: { quota, status } }: Data): string {
  if (status !== 'CONNECTED') return '–'
  if (quota.state === 'UNLIMITED') return messages.unlimited
  return quota.totalBytes == null ? messages.unknown : formatBytes(freeBytes(quota))
}

function usage(data: Data): string {
  const { usedBytes, totalBytes } = data.account.quota
  const used = formatBytes(usedBytes)
  return totalBytes == null ? messages.usedOnly(used) : messages.of(used, formatBytes(totalBytes))
}

function State({ data: { account, draining } }: { data: Data }) {
  const { quota, status, unreachableSince } = account
  const warn = (text: string) => (
    <Badge tone="warning" icon={TriangleAlert}>
      {text}
    </Badge>
  )
  if (status !== 'CONNECTED') return warn(messages.states.expired)
  if (unreachableSince) return warn(messages.states.unreachable)
  if (draining) return <Badge tone="accent">{messages.states.draining}</Badge>
  const free = quota.totalBytes == null ? 1 : freeBytes(quota) / Math.max(quota.totalBytes, 1)
  if (free <= 0) return <Badge>{messages.states.full}</Badge>
  if (free < NEARLY_FULL) return <Badge>{messages.states.nearlyFull}</Badge>
  return (
    <span className="meta t-success hstack gap-1.5">
      <span className={badgeStyles.dot} />
      {messages.states.ready}
    </span>
  )
}

type MenuProps = Omit<Props, 'member'> & { data: Data }

function MemberMenu({ data, index, count, actions, onKeepFree, onAllowOnlyCopy }: MenuProps) {
  const { account, draining, keepFreeBytes, allowOnlyCopy } = data
  const { id, name } = account
  const { member } = messages
  const label = member.actions(name)
  return (
    <Menu
      label={label}
      align="end"
      items={[
        {
          id: 'up',
          label: member.up,
          disabledReason: index === 0 ? member.first : undefined,
          onSelect: () => actions.move(id, -1),
        },
        {
          id: 'down',
          label: member.down,
          disabledReason: index === count - 1 ? member.last : undefined,
          onSelect: () => actions.move(id, 1),
        },
        {
          id: 'keep',
          label: member.keepFree,
          onSelect: () => onKeepFree({ accountId: id, name, bytes: keepFreeBytes }),
        },
        ...(account.poolUse === 'EXTRA_COPIES'
          ? [
              {
                id: 'onlyCopy',
                label: allowOnlyCopy ? messages.onlyCopy.forbid : messages.onlyCopy.allow,
                onSelect: () =>
                  allowOnlyCopy
                    ? void actions.allowOnlyCopy(id, name, false)
                    : onAllowOnlyCopy({ accountId: id, name }),
              },
            ]
          : []),
        'line',
        {
          id: 'drain',
          label: draining ? member.stopDraining : member.drain,
          danger: !draining,
          disabledReason: count === 1 && !draining ? member.only : undefined,
          onSelect: () => actions.drain(id, name, !draining),
        },
      ]}
      trigger={(props) => <IconButton {...props} label={label} icon={EllipsisVertical} size="sm" />}
    />
  )
}
