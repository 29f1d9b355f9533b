import { formatBytes } from '../../lib/formatBytes.ts'
import type { PlacementRule } from '../services.ts'

/** A member of a group cloud as placement sees it. All sizes in bytes. */
export type Candidate = {
  readonly accountId: string
  /** As people know the account; goes into the reason. */
  readonly name: string
  readonly position: number
  readonly status: 'CONNECTED' | 'EXPIRED'
  /** null: unlimited or unknown, which is neither zero nor a reason to refuse. */
  readonly quotaBytes: number | null
  readonly usedBytes: number
  readonly reservedBytes: number
  /** Left empty on this account whatever comes. */
  readonly keepFreeBytes: number
}

export type Piece = { readonly accountId: string; readonly offset: number; readonly size: number }

/** Where a file goes. `why` is stored with the copy and shown; `freeBytes` of a refusal is the most that would have fitted. */
export type Placement =
  | { readonly placed: true; readonly accountId: string; readonly pieces: readonly Piece[]; readonly why: string }
  | { readonly placed: false; readonly freeBytes: number; readonly why: string }

/**
 * Picks the member that takes a file of `size` bytes, by the group cloud's rule. Pure: the caller holds the rows.
 * @param previousAccountId the member that took the last file, for ROUND_ROBIN; null when there was none
 */
export function placeFile(
  members: readonly Candidate[],
  size: number,
  rule: PlacementRule,
  previousAccountId: string | null = null,
): Placement {
  const inOrder = members.toSorted((a, b) => a.position - b.position)
  const fitting = inOrder.filter((member) => obstacle(member, size) === null)
  const chosen = CHOOSE[rule](fitting, inOrder, previousAccountId)
  if (!chosen) return refusal(inOrder, size)
  return {
    placed: true,
    accountId: chosen.accountId,
    pieces: [{ accountId: chosen.accountId, offset: 0, size }],
    why: reason(chosen, inOrder, size, rule),
  }
}

/** Bytes that the account can still take; null when that is unlimited or unknown. */
export function freeBytes({ quotaBytes, usedBytes, reservedBytes, keepFreeBytes }: Candidate): number | null {
  return quotaBytes === null ? null : Math.max(0, quotaBytes - usedBytes - reservedBytes - keepFreeBytes)
}

type Choose = (
  fitting: readonly Candidate[],
  all: readonly Candidate[],
  previous: string | null,
) => Candidate | undefined

const CHOOSE: Readonly<Record<PlacementRule, Choose>> = {
  // A known amount beats an unknown one: only the first is sure to fit.
  MOST_FREE: (fitting) => fitting.toSorted((a, b) => (freeBytes(b) ?? -1) - (freeBytes(a) ?? -1))[0],
  IN_ORDER: (fitting) => fitting[0],
  ROUND_ROBIN: (fitting, all, previous) => {
    const after = all.find((member) => member.accountId === previous)?.position ?? -1
    return fitting.find((member) => member.position > after) ?? fitting[0]
  },
}

const REASON: Readonly<Record<PlacementRule, string>> = {
  MOST_FREE: 'because it has the most free space',
  IN_ORDER: 'because it is the first in order with room',
  ROUND_ROBIN: 'because it is its turn',
}

function reason(chosen: Candidate, all: readonly Candidate[], size: number, rule: PlacementRule): string {
  if (all.length === 1) return `${chosen.name}, the only account of this group cloud`
  const passedOver = all.flatMap((member) => obstacle(member, size) ?? [])
  const unlimited = rule === 'MOST_FREE' && freeBytes(chosen) === null
  return [`${chosen.name}, ${unlimited ? 'because no limit is known for it' : REASON[rule]}`, ...passedOver].join('; ')
}

function refusal(all: readonly Candidate[], size: number): Placement {
  const usable = all.filter((member) => member.status === 'CONNECTED')
  const most = Math.max(0, ...usable.map((member) => freeBytes(member) ?? 0))
  const obstacles = all.flatMap((member) => obstacle(member, size) ?? [])
  const cause = obstacles.length > 0 ? obstacles.join('; ') : 'this group cloud has no accounts'
  return { placed: false, freeBytes: most, why: `There is no room for ${formatBytes(size)}: ${cause}.` }
}

/** Why a member cannot take the file, in words; null when it can. */
function obstacle(member: Candidate, size: number): string | null {
  if (member.status !== 'CONNECTED') return `${member.name} needs to be connected again`
  const free = freeBytes(member)
  if (free === null || size <= free) return null
  return free === 0 ? `${member.name} is full` : `${member.name} has only ${formatBytes(free)} free`
}
