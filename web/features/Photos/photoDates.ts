import { messages } from './messages.ts'
import type { Photo } from './photo.ts'

/** When a photo was taken, else changed, as ISO 8601. Cameras do not know their time zone, so all days are those of UTC. */
export function timeOf({ picture, updatedAt }: Pick<Photo, 'picture' | 'updatedAt'>): string {
  return String(picture?.takenAt ?? updatedAt)
}

/** `2026-11-08` */
export const dayOf = (photo: Pick<Photo, 'picture' | 'updatedAt'>): string => timeOf(photo).slice(0, 10)

const DAY_MS = 86_400_000
const THIS_YEAR = new Intl.DateTimeFormat(undefined, {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  timeZone: 'UTC',
})
const OTHER_YEAR = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeZone: 'UTC' })
const MONTH = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** "Today", "Sunday, 8 November"; with the year if it is another one. */
export function dayText(day: string, now: number = Date.now()): string {
  const [today, yesterday] = [now, now - DAY_MS].map((time) => new Date(time).toISOString().slice(0, 10))
  if (day === today) return messages.today
  if (day === yesterday) return messages.yesterday
  return (day.slice(0, 4) === today?.slice(0, 4) ? THIS_YEAR : OTHER_YEAR).format(new Date(day))
}

/** "November 2026", of `2026-11`. */
export const monthText = (month: string): string => MONTH.format(new Date(`${month}-01`))

/** Where the photos of a month begin among `count` photos, newest first; those of the months before it without any. */
export function firstOfMonth(count: number, timeAt: (index: number) => string, month: string): number {
  let low = 0
  let high = Math.max(0, count - 1)
  while (low < high) {
    const middle = (low + high) >> 1
    if (timeAt(middle).slice(0, 7) > month) low = middle + 1
    else high = middle
  }
  return low
}
