import { formatBytes } from '../../lib/formatBytes.ts'
import { durationText } from '../../lib/speed.ts'
import { files } from './messages.ts'

const KIND_TEXT: Record<string, string> = {
  STORE: 'to',
  REPAIR: 'a new copy to',
  MOVE: 'moving to',
  DRAIN: 'moving to',
}

type Stored = {
  readonly kind: string
  readonly state: string
  readonly totalBytes: number
  readonly sentBytes: number
  readonly bytesPerSecond: number | null | undefined
  readonly error: string | null | undefined
  readonly accounts: readonly { readonly name: string }[]
}

const STATE_TEXT: Record<string, string> = {
  WAITING: 'Waiting',
  PAUSED: 'Paused',
  PARKED: 'Needs attention',
  DONE: 'Stored',
  FAILED: 'Failed',
  CANCELLED: 'Cancelled',
}

export const percentOf = ({ sentBytes, totalBytes }: Pick<Stored, 'sentBytes' | 'totalBytes'>): number =>
  totalBytes === 0 ? 0 : Math.min(100, Math.floor((sentBytes / totalBytes) * 100))

/** The text at the end of a row's first line. */
export function stateText(transfer: Stored): string {
  return STATE_TEXT[transfer.state] ?? `${percentOf(transfer)}%`
}

/** A row's second line: destination and size, or what it waits for. */
export function detailText(transfer: Stored): string {
  const { kind, state, totalBytes, sentBytes, bytesPerSecond, error, accounts } = transfer
  if (error && state !== 'DONE' && state !== 'RUNNING') return error
  const names = accounts.map(({ name }) => name).join(', ')
  const where = names ? `${KIND_TEXT[kind] ?? 'to'} ${names}` : ''
  if (state !== 'RUNNING') return [where, formatBytes(totalBytes)].filter(Boolean).join(' · ')
  const left = bytesPerSecond ? Math.ceil((totalBytes - sentBytes) / bytesPerSecond) : null
  const parts = [where, `${formatBytes(sentBytes)} of ${formatBytes(totalBytes)}`]
  return [...parts, left !== null && durationText(left)].filter(Boolean).join(' · ')
}

/** "Storing 3 files", "1 file needs attention". */
export function storingTitle(transfers: readonly { readonly state: string }[]): string {
  const stuck = transfers.filter(({ state }) => state === 'PARKED' || state === 'FAILED').length
  const open = transfers.filter(({ state }) => state === 'RUNNING' || state === 'WAITING' || state === 'PAUSED').length
  if (open > 0) return `Storing ${files(open)}`
  return stuck > 0 ? `${files(stuck)} ${stuck === 1 ? 'needs' : 'need'} attention` : 'Stored'
}
