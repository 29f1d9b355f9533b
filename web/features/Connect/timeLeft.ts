import { messages } from './messages.ts'

type Listing = {
  readonly entries: number
  readonly expected?: number | null | undefined
  readonly startedAt?: string | null | undefined
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** Before this many entries, the speed says nothing. */
const FEWEST = 100

/** How long the first listing of an account may still take, as text; null while it is not known. `now`: milliseconds. */
export function timeLeft({ entries, expected, startedAt }: Listing, now: number): string | null {
  if (expected == null || startedAt == null || entries < FEWEST || entries >= expected) return null
  const ms = ((now - Date.parse(startedAt)) / entries) * (expected - entries)
  if (!(ms >= 0)) return null
  const { soon, minutes, hours, left } = messages.index
  if (ms < MINUTE) return left(soon)
  return left(ms < 2 * HOUR ? minutes(Math.round(ms / MINUTE)) : hours(Math.round(ms / HOUR)))
}
