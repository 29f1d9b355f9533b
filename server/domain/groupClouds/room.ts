import { formatBytes } from '../../lib/formatBytes.ts'
import type { Candidate } from './placement.ts'

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
