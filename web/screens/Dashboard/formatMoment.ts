import { formatDay } from '../../lib/formatDate.ts'

/** The shortest unambiguous form: "11:26" today, "Yesterday", "8 Nov". */
export function formatMoment(iso: string, now: Date = new Date()): string {
  const day = formatDay(iso, now)
  const comma = day.indexOf(', ')
  if (comma < 0) return day
  const isToday = new Date(iso).toDateString() === now.toDateString()
  return isToday ? day.slice(comma + 2) : day.slice(0, comma)
}
