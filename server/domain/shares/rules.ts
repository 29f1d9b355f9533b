import type { FieldError } from '../errors.ts'
import { InvalidInputError } from '../errors.ts'
import type { ShareInput, SharePatch } from '../services/shares.ts'

const LONGEST_PASSWORD = 1000
const MOST_DOWNLOADS = 1_000_000

/** Of one file at a time: its list is read whole. */
export const MOST_LIVE_SHARES = 100

/** @throws InvalidInputError for what no clock and no row is needed to judge */
export function checkSettings(input: SharePatch & Pick<ShareInput, 'providerLink'>): void {
  const { password, maxDownloads, expiresAt, providerLink } = input
  const errors: FieldError[] = []
  if (typeof password === 'string' && (password.length === 0 || password.length > LONGEST_PASSWORD)) {
    errors.push({ path: 'password', message: `Please enter a password of 1 to ${LONGEST_PASSWORD} characters.` })
  }
  if (typeof maxDownloads === 'number' && !isCount(maxDownloads)) {
    const most = MOST_DOWNLOADS.toLocaleString('en')
    errors.push({ path: 'maxDownloads', message: `Please enter a whole number from 1 to ${most}.` })
  }
  if (expiresAt && !isStorable(expiresAt)) errors.push(notInFuture())
  if (providerLink && (typeof password === 'string' || typeof maxDownloads === 'number')) {
    const message =
      'A cloud drive’s own link asks for no password and counts no downloads. Please choose one or the other.'
    errors.push({ path: 'providerLink', message })
  }
  if (errors.length > 0) throw new InvalidInputError(errors)
}

export function notInFuture(): FieldError {
  return { path: 'expiresAt', message: 'Please choose a time in the future.' }
}

/** @throws InvalidInputError when the limit is reached already */
export function checkLimitAgainst(downloads: number, maxDownloads: number | null | undefined): void {
  if (typeof maxDownloads !== 'number' || maxDownloads > downloads) return
  const message = `There were ${downloads} downloads already. Please allow more, or end the link.`
  throw new InvalidInputError([{ path: 'maxDownloads', message }])
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= MOST_DOWNLOADS
}

/** As ISO 8601 with four digits of a year, which is all that the doors let through and PostgreSQL takes. */
function isStorable(date: Date): boolean {
  return !Number.isNaN(date.getTime()) && date.getUTCFullYear() <= 9999 && date.getUTCFullYear() >= 1970
}
