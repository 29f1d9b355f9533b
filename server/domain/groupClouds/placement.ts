import { formatBytes } from '../../lib/format.ts'
import type { Quota } from '../accounts/contract.ts'
import type { PlacementRule } from './contract.ts'

/** A member of a group cloud for placement. All sizes in bytes. */
export type Candidate = {
  readonly accountId: string
  /** The account's name in messages. */
  readonly name: string
  readonly position: number
  readonly status: 'CONNECTED' | 'EXPIRED'
  readonly unreachable: boolean
  readonly draining: boolean
  readonly quotaState: Quota['state']
  /** null: unlimited or unknown, which is neither zero nor a reason to refuse. */
  readonly quotaBytes: number | null
  readonly usedBytes: number
  readonly reservedBytes: number
  /** Always left empty on this account. */
  readonly keepFreeBytes: number
  /** It takes a copy only where another one is on accounts without this. */
  readonly extraOnly?: boolean
}

export type PlacementRules = {
  readonly placement: PlacementRule
  /** 1 to 3. As many as there is room for are planned, at least one. */
  readonly copies: number
  readonly spanning: boolean
  /** The account that took the last file, for ROUND_ROBIN; null when there was none. */
  readonly previousAccountId?: string | null
  /** Accounts that must not be used, such as those that hold another copy of the file. */
  readonly exclude?: ReadonlySet<string>
  /** The file has a copy on accounts that may hold its only one: then the new ones may all be on `extraOnly` accounts. */
  readonly hasMainCopy?: boolean
}

/** `why` is stored with the copy and shown. */
export type PlannedCopy = { readonly pieces: readonly PlannedPiece[]; readonly why: string }

/** Where the copies of a file go. Two copies never share an account. `freeBytes` of a refusal is the largest size that would fit. */
export type Plan =
  | {
      readonly placed: true
      readonly copies: readonly PlannedCopy[]
      readonly missingCopies: number
      readonly missingWhy: string | null
    }
  | { readonly placed: false; readonly freeBytes: number; readonly why: string }

/** Chooses the members for the copies of a file of `size` bytes, by the group cloud's rules. Pure: the caller has locked the rows. */
export function planCopies(members: readonly Candidate[], size: number, rules: PlacementRules): Plan {
  const inOrder = members.toSorted((a, b) => a.position - b.position)
  const copies: PlannedCopy[] = []
  const taken = new Set(rules.exclude)
  let left = inOrder.filter(({ accountId }) => !taken.has(accountId))
  for (let previous = rules.previousAccountId ?? null; copies.length < rules.copies; ) {
    const isExtra = rules.hasMainCopy === true || copies.length > 0
    const [extras, usable] = isExtra ? [[], left] : [left.filter(isExtraOnly), left.filter((one) => !isExtraOnly(one))]
    const copy = planCopy({ inOrder, left: usable, extras, copies, previous }, size, rules)
    if (!copy) break
    copies.push(copy)
    for (const { accountId } of copy.pieces) taken.add(accountId)
    left = left.filter(({ accountId }) => !taken.has(accountId))
    previous = copy.pieces.at(-1)?.accountId ?? previous
  }
  if (copies.length === 0) {
    const freeBytes = roomBytes(left, { ...rules, isExtra: rules.hasMainCopy })
    return { placed: false, freeBytes, why: refusalMessage(inOrder, left, size, rules) }
  }
  const missingCopies = rules.copies - copies.length
  const missingWhy = missingCopies === 0 ? null : missingMessage(left, size, copies.length, rules.copies)
  return { placed: true, copies, missingCopies, missingWhy }
}

type RoomRules = Pick<PlacementRules, 'spanning'> & {
  /** For a copy that is not the only one. */
  readonly isExtra?: boolean | undefined
}

/** The size of the largest file that has room now; Infinity when a member has no known limit. */
export function roomBytes(members: readonly Candidate[], { spanning, isExtra = false }: RoomRules): number {
  const rooms = members
    .filter((member) => absence(member) === null && (isExtra || !isExtraOnly(member)))
    .map((member) => freeBytes(member) ?? Number.POSITIVE_INFINITY)
  return spanning ? rooms.reduce((sum, room) => sum + room, 0) : Math.max(0, ...rooms)
}

/** Why a member cannot take a file of that size, as a clause; null when it can. A member over its quota takes no empty file either. */
export function obstacle(member: Candidate, size: number): string | null {
  const absent = absence(member)
  if (absent !== null) return absent
  const left = leftBytes(member)
  if (left === null || size <= left) return null
  const free = Math.max(0, left)
  return free === 0 ? `${member.name} is full` : `${member.name} has only ${formatBytes(free)} free`
}

const isExtraOnly = ({ extraOnly = false }: Candidate) => extraOnly

type Progress = {
  readonly inOrder: readonly Candidate[]
  /** Members that can take the next copy and hold none yet. */
  readonly left: readonly Candidate[]
  /** Members that could take it if it were not the only one. */
  readonly extras: readonly Candidate[]
  readonly copies: readonly PlannedCopy[]
  readonly previous: string | null
}

/** Plans one more copy on the members left; null when neither one of them nor all together can hold it. */
function planCopy(progress: Progress, size: number, rules: PlacementRules): PlannedCopy | null {
  const { left, copies } = progress
  const chosen = chooseOne(progress, size, rules.placement)
  if (chosen) {
    const why = chosenReason(chosen, progress, size, rules.placement)
    return { pieces: [{ accountId: chosen.accountId, offset: 0, size }], why }
  }
  if (!rules.spanning) return null
  const isLast = copies.length + 1 === rules.copies
  const shares = sharesFor(left.flatMap(shareOf), size, isLast ? 'ALL' : 'FEWEST')
  if (!shares) return null
  const pieces = dealPieces(shares, size)
  return { pieces, why: spannedReason(pieces, progress) }
}

function shareOf(member: Candidate): Share[] {
  const room = knownRoom(member)
  return room > 0 ? [{ accountId: member.accountId, room }] : []
}

function chooseOne(
  { inOrder, left, previous }: Progress,
  size: number,
  placement: PlacementRule,
): Candidate | undefined {
  const fitting = left.filter((member) => obstacle(member, size) === null)
  return CHOOSE[placement](fitting, inOrder.find(({ accountId }) => accountId === previous)?.position ?? -1)
}

/** `after` is the position of the member that took the last copy. */
type Choose = (fitting: readonly Candidate[], after: number) => Candidate | undefined

const CHOOSE: Readonly<Record<PlacementRule, Choose>> = {
  MOST_FREE: (fitting) => fitting.toSorted(byRoom)[0],
  IN_ORDER: (fitting) => fitting[0],
  ROUND_ROBIN: (fitting, after) => fitting.find(({ position }) => position > after) ?? fitting[0],
}

/** Known free space precedes unknown, because only the known is sure to fit; among members without a limit the emptiest is first. */
function byRoom(a: Candidate, b: Candidate): number {
  const [roomOfA, roomOfB] = [freeBytes(a), freeBytes(b)]
  if (roomOfA !== null || roomOfB !== null) return (roomOfB ?? -1) - (roomOfA ?? -1)
  if (a.quotaState !== b.quotaState) return a.quotaState === 'UNLIMITED' ? -1 : 1
  return a.usedBytes + a.reservedBytes - b.usedBytes - b.reservedBytes
}

/** Bytes that the account can still take; null when that is unlimited or unknown. */
function freeBytes(member: Candidate): number | null {
  const left = leftBytes(member)
  return left === null ? null : Math.max(0, left)
}

/** Negative when the account holds more than its quota. */
function leftBytes({ quotaState, quotaBytes, usedBytes, reservedBytes, keepFreeBytes }: Candidate): number | null {
  if (quotaState !== 'KNOWN' || quotaBytes === null) return null
  return quotaBytes - usedBytes - reservedBytes - keepFreeBytes
}

/** Free space of a member that can be used now; 0 where it is unlimited or unknown. */
function knownRoom(member: Candidate): number {
  return absence(member) === null ? (freeBytes(member) ?? 0) : 0
}

/** Why a member takes no file at all now, as a clause; null when it may. */
function absence({ name, status, unreachable, draining }: Candidate): string | null {
  if (status !== 'CONNECTED') return `${name} needs to be connected again`
  if (unreachable) return `${name} cannot be reached now`
  return draining ? `${name} is being emptied` : null
}

const REASON: Readonly<Record<PlacementRule, string>> = {
  MOST_FREE: 'most free space',
  IN_ORDER: 'first in order with enough room',
  ROUND_ROBIN: 'next in turn',
}
const LIST = new Intl.ListFormat('en-GB', { type: 'conjunction' })

/** Why a member takes a whole copy: "Drive (most free space); Box is full". */
function chosenReason(chosen: Candidate, progress: Progress, size: number, rule: PlacementRule): string {
  const { inOrder, left, extras, copies } = progress
  if (inOrder.length === 1) return `${chosen.name} (the only account of this group cloud)`
  if (left.length === 1 && copies.length > 0) return `${chosen.name} (the only other account)`
  const passedOver = [...left.flatMap((member) => obstacle(member, size) ?? []), ...extras.map(onlyExtra)]
  return [`${chosen.name} (${ruleReason(chosen, progress, size, rule)})`, ...passedOver].join('; ')
}

function ruleReason(chosen: Candidate, { left, copies }: Progress, size: number, rule: PlacementRule): string {
  if (rule !== 'MOST_FREE') return REASON[rule]
  if (freeBytes(chosen) === null) return 'no known limit'
  const unlimited = left.some((member) => freeBytes(member) === null && obstacle(member, size) === null)
  const reason = unlimited ? 'most free space of known size' : REASON[rule]
  return copies.length > 0 ? `${reason} of the other accounts` : reason
}

/** Why a copy spans several members: "In 4 pieces over A and B: no single account has room". */
function spannedReason(pieces: readonly PlannedPiece[], { inOrder, left, extras, copies }: Progress): string {
  const used = new Set(pieces.map(({ accountId }) => accountId))
  const names = inOrder.flatMap(({ accountId, name }) => (used.has(accountId) ? [name] : []))
  const others = left.filter(({ accountId }) => !used.has(accountId))
  const passedOver = others.flatMap(
    (member) => absence(member) ?? (freeBytes(member) === 0 ? `${member.name} is full` : []),
  )
  const reason = copies.length > 0 ? 'no other single account has room' : 'no single account has room'
  const passed = [...passedOver, ...extras.map(onlyExtra)]
  return [inPieces(pieces.length, LIST.format(names), reason), ...passed].join('; ')
}

/** By itself, so that the catalogue of sentences finds it. */
const inPieces = (count: number, names: string, reason: string) => `In ${count} pieces over ${names}: ${reason}`

const onlyExtra = ({ name }: Candidate) => `${name} takes only extra copies`

/** Why there are fewer copies than the group cloud asks for. */
function missingMessage(left: readonly Candidate[], size: number, placed: number, wanted: number): string {
  const obstacles = left.flatMap((member) => obstacle(member, size) ?? [])
  const cause = obstacles.length > 0 ? obstacles.join('; ') : 'each copy needs a separate account'
  return `There is room for ${placed} of ${wanted} copies: ${cause}.`
}

/** Why not even one copy has room. */
function refusalMessage(
  all: readonly Candidate[],
  left: readonly Candidate[],
  size: number,
  { spanning, hasMainCopy = false }: Pick<PlacementRules, 'spanning' | 'hasMainCopy'>,
): string {
  if (all.length === 0) return 'This group cloud has no accounts. Please add one to it first.'
  const obstacles = left.flatMap((member) => {
    return (!hasMainCopy && isExtraOnly(member) ? onlyExtra(member) : obstacle(member, size)) ?? []
  })
  const cause = obstacles.length > 0 ? obstacles.join('; ') : 'no other account is left in this group cloud'
  const together = spanning
    ? 0
    : left.reduce((sum, one) => sum + (!hasMainCopy && isExtraOnly(one) ? 0 : knownRoom(one)), 0)
  const hint =
    together >= size && size > 0 ? ' All accounts together have room, but this group cloud does not span files.' : ''
  // Zero: an empty file, or one of unknown size.
  return `There is no room for ${size === 0 ? 'this file' : formatBytes(size)}: ${cause}.${hint}`
}

// Files in pieces over several accounts.

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
function sharesFor(shares: readonly Share[], size: number, extent: 'ALL' | 'FEWEST'): readonly Share[] | null {
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
function dealPieces(shares: readonly Share[], size: number): PlannedPiece[] {
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
