import { createWindowCounts } from '../../lib/windowCounts.ts'
import { TooManyRequestsError } from '../errors.ts'
import { networkOf } from '../users/emails.ts'

const WINDOW_MS = 60_000
/** Well-formed keys that nobody ever had. */
export const MOST_GUESSES = 60
/** More than this at once: what was counted or remembered begins anew, so that memory stays bounded. */
const MOST_REMEMBERED = 10_000

export type Guesses = {
  /** Counts a key as a guess before it is looked up, so that parallel ones cannot slip through. @throws TooManyRequestsError */
  take(address: string, hash: string): void
  /** There is, or was, such a key: it was no guess. */
  giveBack(address: string, hash: string): void
}

/** In memory: whoever tries keys costs no statement any more. Keys that were seen to be there go on, whatever their network does. */
export function createGuesses(now: () => number = Date.now): Guesses {
  const counts = createWindowCounts(WINDOW_MS, MOST_REMEMBERED, now)
  const known = new Set<string>()
  return {
    take(address, hash) {
      if (known.has(hash)) return
      const seconds = counts.take(networkOf(address), MOST_GUESSES)
      if (seconds > 0) throw new TooManyRequestsError(seconds)
    },
    giveBack(address, hash) {
      if (known.has(hash)) return
      if (known.size >= MOST_REMEMBERED) known.clear()
      known.add(hash)
      counts.giveBack(networkOf(address))
    },
  }
}
