import type { PlacementRule } from './contract.ts'
import { chosenWords, missingWords, refusalWords, spannedWords } from './placementWords.ts'
import {
  absence,
  type Candidate,
  freeBytes,
  obstacle,
  type PlacementRules,
  type Plan,
  type PlannedCopy,
  type PlannedPiece,
} from './plan.ts'

/** Picks the members that take a file of `size` bytes, by the group cloud's rules. Pure: the caller holds the rows. */
export function planCopies(members: readonly Candidate[], size: number, rules: PlacementRules): Plan {
  const inOrder = members.toSorted((a, b) => a.position - b.position)
  const copies: PlannedCopy[] = []
  const taken = new Set(rules.exclude)
  let left = inOrder.filter(({ accountId }) => !taken.has(accountId))
  for (let previous = rules.previousAccountId ?? null; copies.length < rules.copies; ) {
    const copy = planCopy({ inOrder, left, copies, previous }, size, rules)
    if (!copy) break
    copies.push(copy)
    for (const { accountId } of copy.pieces) taken.add(accountId)
    left = left.filter(({ accountId }) => !taken.has(accountId))
    previous = copy.pieces.at(-1)?.accountId ?? previous
  }
  if (copies.length === 0) return refusal(inOrder, left, size, rules)
  const missingCopies = rules.copies - copies.length
  const missingWhy = missingCopies === 0 ? null : missingWords(left, size, copies.length, rules.copies)
  return { placed: true, copies, missingCopies, missingWhy }
}

/** The size of the largest file that has room now; Infinity when a member has no known limit. */
export function roomBytes(members: readonly Candidate[], { spanning }: Pick<PlacementRules, 'spanning'>): number {
  const rooms = members
    .filter((member) => absence(member) === null)
    .map((member) => freeBytes(member) ?? Number.POSITIVE_INFINITY)
  return spanning ? rooms.reduce((sum, room) => sum + room, 0) : Math.max(0, ...rooms)
}

type Progress = {
  readonly inOrder: readonly Candidate[]
  /** Members that no copy is on yet. */
  readonly left: readonly Candidate[]
  readonly copies: readonly PlannedCopy[]
  readonly previous: string | null
}

/** One more copy on members that are left; null when none of them, nor all of them together, can hold it. */
function planCopy(progress: Progress, size: number, rules: PlacementRules): PlannedCopy | null {
  const { inOrder, left, copies } = progress
  const chosen = chooseOne(progress, size, rules.placement)
  if (chosen) {
    const why = chosenWords(chosen, { inOrder, left, copies, size, rule: rules.placement })
    return { pieces: [{ accountId: chosen.accountId, offset: 0, size }], why }
  }
  if (!rules.spanning) return null
  const isLast = copies.length + 1 === rules.copies
  const spanned = membersToSpan(left, size, isLast ? 'ALL' : 'FEWEST')
  if (!spanned) return null
  const pieces = dealPieces(spanned, size)
  return { pieces, why: spannedWords(pieces, { inOrder, left, copies, size }) }
}

function chooseOne(
  { inOrder, left, previous }: Progress,
  size: number,
  placement: PlacementRule,
): Candidate | undefined {
  const fitting = left.filter((member) => obstacle(member, size) === null)
  return CHOOSE[placement](fitting, inOrder.find(({ accountId }) => accountId === previous)?.position ?? -1)
}

/** `after` is the position of the member whose turn was last. */
type Choose = (fitting: readonly Candidate[], after: number) => Candidate | undefined

const CHOOSE: Readonly<Record<PlacementRule, Choose>> = {
  MOST_FREE: (fitting) => fitting.toSorted(byRoom)[0],
  IN_ORDER: (fitting) => fitting[0],
  ROUND_ROBIN: (fitting, after) => fitting.find(({ position }) => position > after) ?? fitting[0],
}

/** A known amount beats an unknown one, for only the first is sure to fit; among those without a limit the emptiest is first. */
function byRoom(a: Candidate, b: Candidate): number {
  const [roomOfA, roomOfB] = [freeBytes(a), freeBytes(b)]
  if (roomOfA !== null || roomOfB !== null) return (roomOfB ?? -1) - (roomOfA ?? -1)
  if (a.quotaState !== b.quotaState) return a.quotaState === 'UNLIMITED' ? -1 : 1
  return a.usedBytes + a.reservedBytes - b.usedBytes - b.reservedBytes
}

function refusal(
  all: readonly Candidate[],
  left: readonly Candidate[],
  size: number,
  rules: Pick<PlacementRules, 'spanning'>,
): Plan {
  return { placed: false, freeBytes: roomBytes(left, rules), why: refusalWords(all, left, size, rules) }
}

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
function membersToSpan(members: readonly Candidate[], size: number, extent: 'ALL' | 'FEWEST'): Share[] | null {
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
function dealPieces(shares: readonly Share[], size: number): PlannedPiece[] {
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
