import { type QuotaColumns, quotaOf } from './rows.ts'

/** An account as a group cloud uses it. */
export type CapacityMember = {
  readonly accountId: string
  readonly keepFreeBytes: bigint | number
  readonly draining: boolean
  readonly account: QuotaColumns & {
    readonly status: 'CONNECTED' | 'EXPIRED'
    readonly unreachableSince: Date | null
  }
}

export type CapacityPool = { readonly copies: number; readonly members: readonly CapacityMember[] }

/**
 * Bytes of new files that have room in a group cloud, every file with as many copies as it keeps, no two on one account:
 * 2 copies on 8.8 and 10.5 GB free are 8.8 GB of files. With fewer accounts than copies, as many copies as there are
 * accounts. Null: no limit is known.
 */
export function roomOf({ copies, members }: CapacityPool): number | null {
  const rooms = members
    .filter(takesFiles)
    .map(freeOf)
    .toSorted((a, b) => b - a)
  const each = Math.min(copies, rooms.length)
  if (each === 0) return 0
  // However much the largest accounts could take, the other copies have to fit on the rest.
  const limits = Array.from({ length: each }, (_, largest) => sum(rooms.slice(largest)) / (each - largest))
  const room = Math.floor(Math.min(...limits))
  return Number.isFinite(room) ? room : null
}

/**
 * The same over all group clouds of a user. An account in several counts once, where it goes furthest: in the one with the
 * fewest copies.
 */
export function totalRoom(pools: readonly CapacityPool[]): number | null {
  const counted = new Set<string>()
  let total = 0
  for (const { copies, members } of pools.toSorted((a, b) => a.copies - b.copies)) {
    const own = members.filter(({ accountId }) => !counted.has(accountId))
    for (const { accountId } of own) counted.add(accountId)
    const room = roomOf({ copies, members: own })
    if (room === null) return null
    total += room
  }
  return total
}

function takesFiles({ draining, account }: CapacityMember): boolean {
  return !draining && account.status === 'CONNECTED' && account.unreachableSince === null
}

function freeOf({ account, keepFreeBytes }: CapacityMember): number {
  const { state, totalBytes, usedBytes, reservedBytes } = quotaOf(account)
  if (state !== 'KNOWN' || totalBytes === null) return Number.POSITIVE_INFINITY
  return Math.max(0, totalBytes - usedBytes - reservedBytes - Number(keepFreeBytes))
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
