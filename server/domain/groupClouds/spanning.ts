import type { Candidate, PlannedPiece } from './placement.ts'
import { absence, freeBytes } from './room.ts'

const MIB = 1024 ** 2
/** Pieces are big enough that a provider's cost per object does not count. */
const SMALLEST_STRIPE = 8 * MIB
const MOST_PIECES = 512

/** A member that takes part, with the bytes that it may take. */
export type Share = { readonly accountId: string; readonly room: number }

/**
 * The members that together hold `size` bytes, in the order given; null when all of them cannot. FEWEST leaves as many as it
 * can for further copies; ALL lets every member with room take part, so that the file is read at the sum of their speeds.
 */
export function membersToSpan(members: readonly Candidate[], size: number, extent: 'ALL' | 'FEWEST'): Share[] | null {
  const shares = members.flatMap((member): Share[] => {
    const room = absence(member) === null ? (freeBytes(member) ?? 0) : 0
    return room > 0 ? [{ accountId: member.accountId, room }] : []
  })
  if (shares.length === 0 || sumOf(shares) < size) return null
  if (extent === 'ALL') return shares
  const chosen = fewest(shares, size)
  return shares.filter((share) => chosen.has(share))
}

/** The largest ones, until the smallest that closes what is still open ends the row: large ones stay for others. */
function fewest(shares: readonly Share[], size: number): Set<Share> {
  const bySize = shares.toSorted((a, b) => b.room - a.room)
  const chosen = new Set<Share>()
  let open = size
  while (open > 0 && bySize.length > 0) {
    const closing = bySize.findLastIndex(({ room }) => room >= open)
    const [next] = bySize.splice(Math.max(closing, 0), 1)
    if (!next) break
    chosen.add(next)
    open -= next.room
  }
  return chosen
}

/**
 * Cuts a file into pieces of one stripe unit and deals them out in proportion to room: neighbouring pieces are on different
 * accounts where possible, so that a reader gets them from several at once. Contiguous, in order, at most 512.
 */
export function dealPieces(shares: readonly Share[], size: number): PlannedPiece[] {
  const unit = stripeUnit(size, shares.length)
  const hands = shares.map((share) => ({ ...share, given: 0 }))
  const pieces: PlannedPiece[] = []
  for (let offset = 0; offset < size; ) {
    const offers = hands.flatMap((hand) => {
      const bytes = Math.min(unit, hand.room - hand.given, size - offset)
      return bytes > 0 ? [{ hand, bytes, filled: (hand.given + bytes) / hand.room }] : []
    })
    const [first, ...others] = offers
    if (!first) throw new Error('A file was to be cut into more than its accounts can hold.')
    const { hand, bytes } = others.reduce((best, offer) => (offer.filled < best.filled ? offer : best), first)
    hand.given += bytes
    pieces.push({ accountId: hand.accountId, offset, size: bytes })
    offset += bytes
  }
  return pieces
}

/** Each member may end with a piece that is smaller than the unit: these count against the limit too. */
function stripeUnit(size: number, members: number): number {
  const fewest = size / Math.max(1, MOST_PIECES - members - 1)
  return Math.max(SMALLEST_STRIPE, Math.ceil(fewest / MIB) * MIB)
}

function sumOf(shares: readonly Share[]): number {
  return shares.reduce((sum, { room }) => sum + room, 0)
}
