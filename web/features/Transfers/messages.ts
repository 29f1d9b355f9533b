import { formatBytes } from '../../lib/formatBytes.ts'
import { nameText } from '../../lib/nameText.ts'
import { durationText } from '../../lib/speed.ts'
import { type Summary, summarise, type Transfer, transferPercent } from '../../lib/uploadQueue.ts'

/** "1 file", "3 files". */
export const files = (count: number): string => `${count.toLocaleString()} ${count === 1 ? 'file' : 'files'}`

/** The panel's heading: "Uploading 2 of 3", "3 files uploaded", "1 file failed". */
export function headline(transfers: readonly Transfer[]): string {
  const summary = summarise(transfers)
  const isDown = transfers.every(({ direction }) => direction === 'down')
  const current = `${Math.min(summary.finished + 1, summary.total)} of ${summary.total}`
  if (summary.open > 0 && summary.paused === summary.open) return `Paused, ${current}`
  if (summary.offline > 0 && summary.running === 0) return `Waiting for the connection, ${current}`
  if (summary.open > 0) return `${isDown ? 'Downloading' : 'Uploading'} ${current}`
  if (summary.failed > 0) return `${files(summary.failed)} failed`
  const done = transfers.filter(({ state }) => state === 'done').length
  if (done === 0) return `${files(summary.finished)} skipped`
  return `${files(done)} ${isDown ? 'downloaded' : 'uploaded'}`
}

/** "46% · 12.4 MB/s · 2 min"; unknown parts are left out. */
export function paceText(summary: Summary, perSecond: number | null, secondsLeft: number | null): string {
  if (summary.open === 0) return ''
  const pace = perSecond !== null && summary.running > 0 && speedText(perSecond)
  const left = secondsLeft !== null && summary.running > 0 && durationText(secondsLeft)
  return [`${summary.percent}%`, pace, left].filter(Boolean).join(' · ')
}

/** A speed needs no more than one decimal. */
const speedText = (perSecond: number): string => `${formatBytes(perSecond).replace(/(\.\d)\d /, '$1 ')}/s`

/** The text at the end of a row's first line. */
export function stateText(transfer: Transfer): string {
  const texts: Partial<Record<Transfer['state'], string>> = {
    queued: 'Waiting',
    paused: 'Paused',
    asking: 'Name taken',
    offline: 'Waiting',
    failed: 'Failed',
    skipped: 'Skipped',
  }
  if (transfer.state === 'done') return transfer.direction === 'up' ? 'Uploaded' : 'Downloaded'
  return texts[transfer.state] ?? `${transferPercent(transfer)}%`
}

/** A row's second line: destination and size, or the error. */
export function detailText(transfer: Transfer): string {
  const { state, direction, place, movedTo, size, sent, error } = transfer
  if (state === 'failed') return error ?? 'Something went wrong. Try again.'
  if (state === 'offline') return 'Resumes by itself when you are back online.'
  if (state === 'asking') return `${place} already has a file with this name.`
  const amount = state === 'running' && sent > 0 ? `${formatBytes(sent)} of ${formatBytes(size)}` : formatBytes(size)
  if (direction === 'down') return amount
  if (movedTo) return `Now in ${movedTo}, because “${nameText(place)}” is gone · ${amount}`
  return state === 'done' || state === 'skipped' ? `${place} · ${amount}` : `to ${place} · ${amount}`
}
