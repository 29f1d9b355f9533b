import type { ApiKeyInput } from './createApiKey.ts'
import type { messages } from './messages.ts'

const DAY_MS = 86_400_000

/** The choices in the form in addition to the name. */
export type Limits = {
  readonly write: boolean
  readonly share: boolean
  readonly expiry: keyof typeof messages.form.expiries
  /** With the expiry `day`: the last day, as the field has it ("2026-12-31"). */
  readonly day: string
}

export const NO_LIMITS: Limits = { write: true, share: true, expiry: 'never', day: '' }

/** As the server wants it; null when the day is missing or not in the future. */
export function inputOf({ write, share, expiry, day }: Limits): Omit<ApiKeyInput, 'name'> | null {
  const scopes = ['READ' as const, ...(write ? ['WRITE' as const] : []), ...(share ? ['SHARE' as const] : [])]
  const limited = write && share ? {} : { scopes }
  if (expiry === 'never') return limited
  const expiresAt = expiry === 'day' ? endOfDay(day) : new Date(Date.now() + Number(expiry) * DAY_MS)
  return expiresAt ? { ...limited, expiresAt: expiresAt.toISOString() } : null
}

/** The end of a day in the person's own time zone; null for one that is not later than today. */
function endOfDay(day: string): Date | null {
  if (day < tomorrow()) return null
  const end = new Date(`${day}T23:59:59`)
  return Number.isNaN(end.getTime()) ? null : end
}

/** In the person's own time zone, as a date field writes it. */
export function tomorrow(): string {
  const date = new Date(Date.now() + DAY_MS)
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()]
  return parts.map((part, index) => String(part).padStart(index === 0 ? 4 : 2, '0')).join('-')
}
