const DAY = 86_400_000

const formats = new Map<string, Intl.DateTimeFormat>()

/** Creating a formatter costs a hundred times as much as using it, and a list uses it for every row. */
function format(date: Date, options: Intl.DateTimeFormatOptions, locale: string | undefined): string {
  const key = `${locale}${JSON.stringify(options)}`
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale, options)
  formats.set(key, known)
  return known.format(date)
}

const startOfDay = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()

/**
 * How lists show a date: "Today, 10:15", "Yesterday, 10:15", "8 Nov", "8 Nov 2024". `iso` is ISO 8601; local time
 * zone.
 */
export function formatDay(iso: string, now: Date = new Date(), locale?: string): string {
  const date = new Date(iso)
  const days = Math.round((startOfDay(now) - startOfDay(date)) / DAY)
  if (days === 0 || days === 1) {
    const time = format(date, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }, locale)
    return `${days === 0 ? 'Today' : 'Yesterday'}, ${time}`
  }
  const year = date.getFullYear() === now.getFullYear() ? {} : { year: 'numeric' as const }
  return format(date, { day: 'numeric', month: 'short', ...year }, locale)
}

/** The whole date and time, for tooltips and details. */
export function formatFullDate(iso: string, locale?: string): string {
  return format(new Date(iso), { dateStyle: 'long', timeStyle: 'short', hourCycle: 'h23' }, locale)
}

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * DAY],
  ['month', 30 * DAY],
  ['day', DAY],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

/** "3 days ago", "in 2 hours", "just now" for anything under a minute. */
export function formatRelative(iso: string, now: Date = new Date(), locale?: string): string {
  const difference = new Date(iso).getTime() - now.getTime()
  const step = STEPS.find(([, size]) => Math.abs(difference) >= size)
  if (!step) return 'just now'
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(Math.round(difference / step[1]), step[0])
}
