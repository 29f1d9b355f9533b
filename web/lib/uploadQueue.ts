/**
 * queued: waits for its turn. running: bytes move. paused: by the user. asking: the name is taken and the user has not
 * said what to do. offline: waits for the connection and resumes by itself. failed: `error` says why. done: durable on
 * the server (or saved on disk). skipped: by the user's answer.
 */
export type TransferState = 'queued' | 'running' | 'paused' | 'asking' | 'offline' | 'failed' | 'done' | 'skipped'

/** One file on its way up or down. Sizes are bytes. */
export type Transfer = {
  readonly id: string
  readonly direction: 'up' | 'down'
  readonly name: string
  readonly mimeType: string
  readonly size: number
  readonly sent: number
  readonly state: TransferState
  /** For people; set only while failed. */
  readonly error: string | null
  /** Set while failed for a reason that sending it again does not change. */
  readonly isFinal?: boolean
  /** The server's id, once the upload has become a file. */
  readonly fileId: string | null
  /** Transfers that were started together. */
  readonly batchId: string
  /** Name of the destination: "My Drive" or a folder's name. */
  readonly place: string
  /** Set when it is done and somewhere else, because that folder was gone by then. */
  readonly movedTo?: string | null
}

export type Summary = {
  readonly total: number
  readonly finished: number
  readonly failed: number
  readonly paused: number
  readonly running: number
  /** Waiting for the connection. */
  readonly offline: number
  /** Neither finished nor failed: running, queued, paused, asking or offline. */
  readonly open: number
  readonly sentBytes: number
  readonly totalBytes: number
  /** 0 to 100; 100 only when nothing is open or failed. */
  readonly percent: number
}

const FINISHED: readonly TransferState[] = ['done', 'skipped']

export const isFinished = (transfer: Transfer): boolean => FINISHED.includes(transfer.state)
export const isOpen = (transfer: Transfer): boolean => !isFinished(transfer) && transfer.state !== 'failed'

export function summarise(transfers: readonly Transfer[]): Summary {
  const counts = { total: 0, finished: 0, failed: 0, paused: 0, running: 0, offline: 0, open: 0 }
  const sum = { ...counts, sentBytes: 0, totalBytes: 0 }
  for (const transfer of transfers) {
    sum.total += 1
    if (isFinished(transfer)) sum.finished += 1
    if (isOpen(transfer)) sum.open += 1
    if (transfer.state === 'failed') sum.failed += 1
    if (transfer.state === 'paused') sum.paused += 1
    if (transfer.state === 'running') sum.running += 1
    if (transfer.state === 'offline') sum.offline += 1
    if (transfer.state === 'skipped') continue
    sum.totalBytes += transfer.size
    sum.sentBytes += transfer.state === 'done' ? transfer.size : Math.min(transfer.sent, transfer.size)
  }
  return { ...sum, percent: percentOf(sum) }
}

/** By bytes; by count where there are none (empty files). Held at 99 until the last one is complete. */
function percentOf(sum: Omit<Summary, 'percent'>): number {
  if (sum.total === 0) return 0
  if (sum.open === 0 && sum.failed === 0) return 100
  const share = sum.totalBytes > 0 ? sum.sentBytes / sum.totalBytes : sum.finished / sum.total
  return Math.min(99, Math.floor(share * 100))
}

/** 0 to 100 for one transfer; 100 means durable, not merely sent. */
export function transferPercent(transfer: Transfer): number {
  if (transfer.state === 'done') return 100
  if (transfer.size === 0) return 0
  return Math.min(99, Math.floor((transfer.sent / transfer.size) * 100))
}

/**
 * The rows that a panel shows: first those that need attention (asking, failed), then running, waiting and
 * through; at most `limit`. `hidden` is how many are left out.
 */
export function panelOrder(
  transfers: readonly Transfer[],
  limit: number,
): { shown: readonly Transfer[]; hidden: number } {
  const rank: Record<TransferState, number> = {
    asking: 0,
    failed: 0,
    running: 1,
    offline: 2,
    paused: 2,
    queued: 3,
    done: 4,
    skipped: 4,
  }
  const sorted = [...transfers].sort((a, b) => rank[a.state] - rank[b.state])
  return { shown: sorted.slice(0, limit), hidden: Math.max(0, sorted.length - limit) }
}
