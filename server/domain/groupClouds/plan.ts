import { formatBytes } from '../../lib/formatBytes.ts'
import type { Quota } from '../accounts/contract.ts'
import type { PlacementRule } from './contract.ts'

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

/** Bytes that the account can still take; null when that is unlimited or unknown. */
export function freeBytes(member: Candidate): number | null {
  const left = leftBytes(member)
  return left === null ? null : Math.max(0, left)
}

/** Below zero when it holds more than it may. */
function leftBytes({ quotaState, quotaBytes, usedBytes, reservedBytes, keepFreeBytes }: Candidate): number | null {
  if (quotaState !== 'KNOWN' || quotaBytes === null) return null
  return quotaBytes - usedBytes - reservedBytes - keepFreeBytes
}

/** Why a member takes no file at all now, in words; null when it may. */
export function absence({ name, status, unreachable, draining }: Candidate): string | null {
  if (status !== 'CONNECTED') return `${name} needs to be connected again`
  if (unreachable) return `${name} cannot be reached now`
  return draining ? `${name} is being emptied` : null
}

/** Why a member cannot take a file of that size, in words; null when it can. What holds more than it may takes no empty file either. */
export function obstacle(member: Candidate, size: number): string | null {
  const absent = absence(member)
  if (absent !== null) return absent
  const left = leftBytes(member)
  if (left === null || size <= left) return null
  const free = Math.max(0, left)
  return free === 0 ? `${member.name} is full` : `${member.name} has only ${formatBytes(free)} free`
}
