import { formatBytes } from '../lib/formatBytes.ts'

export type PoolSegment = {
  id: string
  /** The account's name. */
  name: string
  /** 1 to 12; 0 is this server. */
  hue: number
  usedBytes: number
  /** Null: unknown or unlimited. */
  totalBytes: number | null | undefined
  reservedBytes?: number
  /** Just added: outlined. */
  isNew?: boolean
  /** expired: signed out by the provider; ghost: not yet there; dim: does not hold this file. */
  state?: 'expired' | 'ghost' | 'dim'
}

/** "Drive: 1.31 GB used, 0.69 GB free of 2.00 GB". */
export function describeSegment({ name, usedBytes, totalBytes, reservedBytes = 0, state }: PoolSegment): string {
  if (state === 'expired') return `${name}: connection expired`
  if (totalBytes == null) return `${name}: ${formatBytes(usedBytes)} used, size unknown`
  const free = formatBytes(Math.max(totalBytes - usedBytes - reservedBytes, 0))
  return `${name}: ${formatBytes(usedBytes)} used, ${free} free of ${formatBytes(totalBytes)}`
}

/** The pool in one sentence, for screen readers. */
export function describePool(segments: readonly PoolSegment[]): string {
  return `Storage: ${segments.map(describeSegment).join('; ')}`
}
