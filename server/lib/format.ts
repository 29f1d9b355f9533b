const DAY_MS = 86_400_000
const MAX_DAYS = 1000

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))
const THREE_DIGITS = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'))

/** Date part up to the `T`, by days since 1970. */
const dayTexts = new Map<number, string>()

const UNITS = ['Bytes', 'KB', 'MB', 'GB', 'TB'] as const
const BASE = 1024

/**
 * Same result as `date.toISOString()`, but several times faster: a page of a list has two hundred times, mostly of few days.
 * @throws RangeError for an invalid date
 */
export function isoTime(date: Date): string {
  const ms = date.getTime()
  const day = Math.floor(ms / DAY_MS)
  const inDay = ms - day * DAY_MS
  const seconds = Math.floor(inDay / 1000)
  const minutes = Math.floor(seconds / 60)
  const time = `${TWO_DIGITS[Math.floor(minutes / 60)]}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds % 60]}`
  return `${dayTexts.get(day) ?? dayText(day, date)}${time}.${THREE_DIGITS[inDay % 1000]}Z`
}

function dayText(day: number, date: Date): string {
  const text = date.toISOString()
  const head = text.slice(0, text.indexOf('T') + 1)
  if (dayTexts.size >= MAX_DAYS) dayTexts.clear()
  dayTexts.set(day, head)
  return head
}

/** A size for people: base 1024, at most two decimals ("1.5 GB"), as everywhere in the product. */
export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(BASE)), UNITS.length - 1)
  return `${Number((bytes / BASE ** power).toFixed(2))} ${UNITS[power]}`
}
