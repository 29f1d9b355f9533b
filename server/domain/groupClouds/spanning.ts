const MIB = 1024 ** 2
/** Pieces are so large that a provider's cost per object does not matter. */
const MIN_PIECE_BYTES = 8 * MIB
const MAX_PIECES = 512

/** A member that takes part, with the bytes that it may take. */
export type Share = { readonly accountId: string; readonly room: number }

export type PlannedPiece = { readonly accountId: string; readonly offset: number; readonly size: number }

/**
 * The shares that together hold `size` bytes, in the order given; null when all of them together cannot. FEWEST leaves as many as
 * possible for further copies; ALL uses every share, so that the file is read at the sum of their speeds.
 */
export function sharesFor(shares: readonly Share[], size: number, extent: 'ALL' | 'FEWEST'): readonly Share[] | null {
  if (shares.length === 0 || shares.reduce((sum, { room }) => sum + room, 0) < size) return null
  if (extent === 'ALL') return shares
  const chosen = fewest(shares, size)
  return shares.filter((share) => chosen.has(share))
}

/** The largest shares first; the last one is the smallest that holds the rest, so that larger ones are left for other copies. */
function fewest(shares: readonly Share[], size: number): Set<Share> {
  const bySize = shares.toSorted((a, b) => b.room - a.room)
  const chosen = new Set<Share>()
  let rest = size
  while (rest > 0 && bySize.length > 0) {
    const last = bySize.findLastIndex(({ room }) => room >= rest)
    const [next] = bySize.splice(Math.max(last, 0), 1)
    if (!next) break
    chosen.add(next)
    rest -= next.room
  }
  return chosen
}

/**
 * Cuts a file into pieces of one size and distributes them in proportion to room: neighbouring pieces are on different accounts
 * where possible, so that a reader gets them from several at once. Contiguous, in order, at most 512.
 */
export function dealPieces(shares: readonly Share[], size: number): PlannedPiece[] {
  const unit = pieceSize(size, shares.length)
  const accounts = shares.map((share) => ({ ...share, given: 0 }))
  const pieces: PlannedPiece[] = []
  for (let offset = 0; offset < size; ) {
    const offers = accounts.flatMap((account) => {
      const bytes = Math.min(unit, account.room - account.given, size - offset)
      return bytes > 0 ? [{ account, bytes, filled: (account.given + bytes) / account.room }] : []
    })
    const [first, ...others] = offers
    if (!first) throw new Error('A file was to be cut into more than its accounts can hold.')
    const { account, bytes } = others.reduce((best, offer) => (offer.filled < best.filled ? offer : best), first)
    account.given += bytes
    pieces.push({ accountId: account.accountId, offset, size: bytes })
    offset += bytes
  }
  return pieces
}

/** Each account may end with a smaller piece: these count towards the limit too. */
function pieceSize(size: number, accounts: number): number {
  const smallest = size / Math.max(1, MAX_PIECES - accounts - 1)
  return Math.max(MIN_PIECE_BYTES, Math.ceil(smallest / MIB) * MIB)
}
