import { messages } from './messages.ts'

/** The terms of a link, as form values. */
export type Terms = {
  readonly password: string
  /** Removes the existing password. */
  readonly isPasswordRemoved: boolean
  /** "never", a number of days from now, or "date". */
  readonly expiry: string
  /** YYYY-MM-DD, the last day in local time; counts when `expiry` is "date". */
  readonly date: string
  /** Empty: no limit. */
  readonly limit: string
  readonly hasProviderLink: boolean
}

export const FREE_TERMS: Terms = {
  password: '',
  isPasswordRemoved: false,
  expiry: 'never',
  date: '',
  limit: '',
  hasProviderLink: false,
}

type Known = { readonly expiresAt?: string | null | undefined; readonly maxDownloads?: number | null | undefined }

/** The form values of an existing link. */
export function termsOf({ expiresAt, maxDownloads }: Known): Terms {
  return {
    ...FREE_TERMS,
    expiry: expiresAt ? 'date' : 'never',
    date: expiresAt ? dayOf(new Date(expiresAt)) : '',
    limit: maxDownloads ? String(maxDownloads) : '',
  }
}

export type TermsErrors = { readonly date?: string; readonly limit?: string }

/** The errors by field; empty when there are none. */
export function termsErrors({ expiry, date, limit }: Terms, now = new Date()): TermsErrors {
  const isLimit = limit === '' || (/^[0-9]{1,7}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= 1_000_000)
  const isDate = expiry !== 'date' || (/^\d{4}-\d\d-\d\d$/.test(date) && date >= dayOf(now))
  return { ...(!isDate && { date: messages.dateWrong }), ...(!isLimit && { limit: messages.limitWrong }) }
}

/** ISO 8601; null: never. */
export function expiryOf({ expiry, date }: Pick<Terms, 'expiry' | 'date'>, now = new Date()): string | null {
  if (expiry === 'never') return null
  if (expiry === 'date') return new Date(`${date}T23:59:59`).toISOString()
  return new Date(now.getTime() + Number(expiry) * 86_400_000).toISOString()
}

export const limitOf = ({ limit }: Terms): number | null => (limit === '' ? null : Number(limit))

/** The day in local time, as date fields write it. */
export function dayOf(date: Date): string {
  const two = (number: number) => String(number).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
