import type { PlacementRule, Quota } from '../services.ts'
import { chosenWords, missingWords, refusalWords, spannedWords } from './placementWords.ts'
import { absence, freeBytes, obstacle } from './room.ts'
import { dealPieces, membersToSpan } from './spanning.ts'

/** A member of a group cloud as placement sees it. All sizes in bytes. */
export type Candidate = {
  readonly accountId: string
  /** As people know the account; goes into the reason. */
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
  /** Left empty on this account whatever comes. */
  readonly keepFreeBytes: number
}

export type PlannedPiece = { readonly accountId: string; readonly offset: number; readonly size: number }

/** `why` is stored with the copy and shown. */
export type PlannedCopy = { readonly pieces: readonly PlannedPiece[]; readonly why: string }

export type PlacementRules = {
  readonly placement: PlacementRule
  /** 1 to 3. As many as there is room for, at least one, are planned. */
  readonly copies: number
  readonly spanning: boolean
  /** The account that took the last file, for ROUND_ROBIN; null when there was none. */
  readonly previousAccountId?: string | null
  /** Accounts that shall not be used, such as those that hold another copy of the file. */
  readonly exclude?: ReadonlySet<string>
}

/** Where the copies of a file go. Two copies never share an account. `freeBytes` of a refusal is the most that would have fitted. */
export type Plan =
  | {
      readonly placed: true
      readonly copies: readonly PlannedCopy[]
      readonly missingCopies: number
      readonly missingWhy: string | null
    }
  | { readonly placed: false; readonly freeBytes: number; readonly why: string }

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
