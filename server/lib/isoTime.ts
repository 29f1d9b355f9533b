const DAY_MS = 86_400_000
const MOST_DAYS = 1000
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))
const THREE_DIGITS = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'))

/** Days since 1970 as texts, up to the `T`. */
const dayTexts = new Map<number, string>()

/**
 * What `date.toISOString()` returns, several times as fast: a page of a list is two hundred times, most of them of few days.
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
  if (dayTexts.size >= MOST_DAYS) dayTexts.clear()
  dayTexts.set(day, head)
  return head
}
