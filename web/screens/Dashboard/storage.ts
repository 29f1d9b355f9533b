import { accountLabel } from '../../lib/accountLabel.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import type { PoolSegment } from '../../ui/poolText.ts'
import { messages } from './messages.ts'

export type Quota = {
  readonly state: string
  readonly usedBytes: number
  readonly reservedBytes: number
  readonly totalBytes: number | null | undefined
  /** Of new files, counting copies; null: no limit is known. */
  readonly freeBytes?: number | null | undefined
}

export type StorageAccount = {
  readonly id: string
  readonly name: string
  readonly provider: string
  readonly providerName: string
  readonly hue: number
  readonly status: string
  readonly unreachableSince: string | null | undefined
  readonly quota: Quota
}

export type Total = { readonly figure: string; readonly text: string }

export function freeBytes(quota: Quota): number {
  return quota.freeBytes ?? freeOf(quota)
}

const freeOf = ({ usedBytes, reservedBytes, totalBytes }: Quota) =>
  Math.max((totalBytes ?? 0) - usedBytes - reservedBytes, 0)

/** A smaller difference can come from rounding. */
const ROUNDING = 0.99

/**
 * What is free, as the server counts it with copies; where an account has no known limit, what is free of all that is
 * known. An expired account has no usable space.
 */
export function totalOf(accounts: readonly StorageAccount[], all?: Pick<Quota, 'totalBytes' | 'freeBytes'>): Total {
  const usable = accounts.filter(({ status }) => status === 'CONNECTED')
  if (usable.length === 0) return { figure: formatBytes(0), text: messages.noneUsable }
  const known = usable.filter(({ quota }) => quota.totalBytes != null)
  if (known.length === 0) {
    const used = usable.reduce((sum, { quota }) => sum + quota.usedBytes, 0)
    return { figure: formatBytes(used), text: messages.usedIn(accounts.length) }
  }
  const unlimited = usable.filter(({ quota }) => quota.state === 'UNLIMITED').length
  const unknown = usable.length - known.length - unlimited
  const free = all?.freeBytes ?? known.reduce((sum, { quota }) => sum + freeBytes(quota), 0)
  const total = all?.totalBytes ?? known.reduce((sum, { quota }) => sum + (quota.totalBytes ?? 0), 0)
  const parts = [messages.free(formatBytes(total), accounts.length)]
  const raw = known.reduce((sum, { quota }) => sum + freeOf(quota), 0)
  // Otherwise the figures of the accounts, below, seem to contradict.
  if (free < raw * ROUNDING) parts.push(messages.countingCopies)
  if (unknown > 0) parts.push(messages.plusUnknown(unknown))
  if (unlimited > 0) parts.push(messages.plusUnlimited(unlimited))
  return { figure: formatBytes(free), text: parts.join(', ') }
}

export function segmentOf(account: StorageAccount): PoolSegment {
  const { id, hue, status, quota } = account
  const { usedBytes, reservedBytes, totalBytes } = quota
  const segment = { id, name: accountLabel(account), hue, usedBytes, reservedBytes, totalBytes }
  return status === 'EXPIRED' ? { ...segment, state: 'expired' } : segment
}

/** Below an account's name: the figure, and `whole` with what there is no room for on a phone. */
export function legendOf({ status, unreachableSince, quota }: StorageAccount): {
  text: string
  whole: string
  isLost: boolean
} {
  if (status === 'EXPIRED') return { text: messages.expired, whole: messages.expired, isLost: true }
  if (unreachableSince) return { text: messages.unreachable, whole: messages.unreachable, isLost: true }
  if (quota.totalBytes == null) {
    const used = formatBytes(quota.usedBytes)
    const whole = quota.state === 'UNLIMITED' ? messages.noLimit(used) : messages.sizeUnknown(used)
    return { text: messages.used(used), whole, isLost: false }
  }
  const free = formatBytes(freeBytes(quota))
  return { text: messages.freeBytes(free), whole: messages.freeOf(free, formatBytes(quota.totalBytes)), isLost: false }
}

/** Cells of a row of figures: used, free, total. */
export function figuresOf({ state, usedBytes, ...quota }: Quota): readonly [used: string, free: string, total: string] {
  if (quota.totalBytes == null) {
    const text = state === 'UNLIMITED' ? messages.unlimited : messages.unknown
    return [formatBytes(usedBytes), text, text]
  }
  const free = freeBytes({ state, usedBytes, ...quota })
  return [formatBytes(usedBytes), formatBytes(free), formatBytes(quota.totalBytes)]
}
