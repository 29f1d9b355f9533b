import { formatBytes } from '../../lib/formatBytes.ts'
import { durationWords } from '../../lib/speed.ts'
import { files } from './words.ts'

const KIND_WORDS: Record<string, string> = {
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

const STATE_WORDS: Record<string, string> = {
  WAITING: 'Waiting',
  PAUSED: 'Paused',
  PARKED: 'Needs you',
  DONE: 'Stored',
  FAILED: 'Failed',
  CANCELLED: 'Cancelled',
}

export const percentOf = ({ sentBytes, totalBytes }: Pick<Stored, 'sentBytes' | 'totalBytes'>): number =>
  totalBytes === 0 ? 0 : Math.min(100, Math.floor((sentBytes / totalBytes) * 100))

/** What stands at the end of a row's first line. */
export function stateWord(transfer: Stored): string {
  return STATE_WORDS[transfer.state] ?? `${percentOf(transfer)}%`
}

/** A row's second line: where to and how much, or what it waits for. */
export function detailWords(transfer: Stored): string {
  const { kind, state, totalBytes, sentBytes, bytesPerSecond, error, accounts } = transfer
  if (error && state !== 'DONE' && state !== 'RUNNING') return error
  const names = accounts.map(({ name }) => name).join(', ')
  const where = names ? `${KIND_WORDS[kind] ?? 'to'} ${names}` : ''
  if (state !== 'RUNNING') return [where, formatBytes(totalBytes)].filter(Boolean).join(' · ')
  const left = bytesPerSecond ? Math.ceil((totalBytes - sentBytes) / bytesPerSecond) : null
  const parts = [where, `${formatBytes(sentBytes)} of ${formatBytes(totalBytes)}`]
  return [...parts, left !== null && durationWords(left)].filter(Boolean).join(' · ')
}

/** "Storing 3 files", "1 file needs you". */
export function storingTitle(transfers: readonly { readonly state: string }[]): string {
  const stuck = transfers.filter(({ state }) => state === 'PARKED' || state === 'FAILED').length
  const open = transfers.filter(({ state }) => state === 'RUNNING' || state === 'WAITING' || state === 'PAUSED').length
  if (open > 0) return `Storing ${files(open)}`
  return stuck > 0 ? `${files(stuck)} ${stuck === 1 ? 'needs' : 'need'} you` : 'Stored'
}
