import { formatBytes } from '../../lib/formatBytes.ts'
import type { PlacementRule } from './contract.ts'
import {
  absence,
  type Candidate,
  freeBytes,
  obstacle,
  type PlacementRules,
  type PlannedCopy,
  type PlannedPiece,
} from './plan.ts'

/** What a choice was made among. */
export type Choice = {
  readonly inOrder: readonly Candidate[]
  /** Members that no earlier copy is on. */
  readonly left: readonly Candidate[]
  readonly copies: readonly PlannedCopy[]
  readonly size: number
}

const REASON: Readonly<Record<PlacementRule, string>> = {
  MOST_FREE: 'most free space',
  IN_ORDER: 'first in order with enough room',
  ROUND_ROBIN: 'next in turn',
}
const LIST = new Intl.ListFormat('en-GB', { type: 'conjunction' })

/** Why one member takes a whole copy. */
export function chosenWords(chosen: Candidate, choice: Choice & { readonly rule: PlacementRule }): string {
  const { inOrder, left, size } = choice
  if (inOrder.length === 1) return `${chosen.name} (the only account of this group cloud)`
  if (left.length === 1 && choice.copies.length > 0) return `${chosen.name} (the only other account)`
  const passedOver = left.flatMap((member) => obstacle(member, size) ?? [])
  return [`${chosen.name} (${ruleWords(chosen, choice)})`, ...passedOver].join('; ')
}

function ruleWords(chosen: Candidate, choice: Choice & { readonly rule: PlacementRule }): string {
  const { left, size, rule } = choice
  if (rule !== 'MOST_FREE') return REASON[rule]
  if (freeBytes(chosen) === null) return 'no known limit'
  const unlimited = left.some((member) => freeBytes(member) === null && obstacle(member, size) === null)
  const reason = unlimited ? 'most free space of known size' : REASON[rule]
  return choice.copies.length > 0 ? `${reason} of the other accounts` : reason
}

/** Why a copy is cut over several members. */
export function spannedWords(pieces: readonly PlannedPiece[], choice: Choice): string {
  const used = new Set(pieces.map(({ accountId }) => accountId))
  const names = choice.inOrder.flatMap(({ accountId, name }) => (used.has(accountId) ? [name] : []))
  const others = choice.left.filter(({ accountId }) => !used.has(accountId))
  const passedOver = others.flatMap(
    (member) => absence(member) ?? (freeBytes(member) === 0 ? `${member.name} is full` : []),
  )
  const reason = choice.copies.length > 0 ? 'no other single account has room' : 'no single account has room'
  return [`In ${pieces.length} pieces over ${LIST.format(names)}: ${reason}`, ...passedOver].join('; ')
}

/** Why there are fewer copies than the group cloud asks for. */
export function missingWords(left: readonly Candidate[], size: number, placed: number, asked: number): string {
  const obstacles = left.flatMap((member) => obstacle(member, size) ?? [])
  const cause = obstacles.length > 0 ? obstacles.join('; ') : 'each copy needs an account of its own'
  return `There is room for ${placed} of ${asked} copies: ${cause}.`
}

/** Why not even one copy has room. */
export function refusalWords(
  all: readonly Candidate[],
  left: readonly Candidate[],
  size: number,
  { spanning }: Pick<PlacementRules, 'spanning'>,
): string {
  if (all.length === 0) return 'This group cloud has no accounts. Please add one to it first.'
  const obstacles = left.flatMap((member) => obstacle(member, size) ?? [])
  const cause = obstacles.length > 0 ? obstacles.join('; ') : 'no other account is left in this group cloud'
  const together = spanning ? 0 : left.reduce((sum, member) => sum + roomOf(member), 0)
  const hint =
    together >= size && size > 0 ? ' All accounts together have room, but this group cloud does not span files.' : ''
  // Zero: an empty file, or one whose size is not known before it has come.
  return `There is no room for ${size === 0 ? 'this file' : formatBytes(size)}: ${cause}.${hint}`
}

function roomOf(member: Candidate): number {
  return absence(member) === null ? (freeBytes(member) ?? 0) : 0
}
