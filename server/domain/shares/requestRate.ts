import { createWindowCounts } from '../../lib/windowCounts.ts'
import { TooManyRequestsError } from '../errors.ts'
import { networkOf } from '../users/emails.ts'

const WINDOW_MS = 60_000
/** Pages, lists and downloads of public links that one network may ask for. */
export const MOST_REQUESTS = 120
/** Ranges of contents that it is reading: players and download managers ask for many. */
const MOST_RANGES = 1_200
/** How long ranges of a content that a network has begun to read belong to that one request. */
const CONTINUED_MS = 10 * 60_000
/** More networks than this at once: the count begins anew for all of them, so that memory stays bounded. */
const MOST_KEYS = 100_000

export type RequestRate = {
  /** Counts one request; those that continue a content count by themselves. @throws TooManyRequestsError */
  take(address: string, continues?: boolean): void
  /** Remembers that a network reads this content. */
  begin(address: string, content: string): void
  /** Whether it has begun to lately. */
  isUnderWay(address: string, content: string): boolean
}

/** Each process counts for itself. */
export function createRequestRate(now: () => number = Date.now): RequestRate {
  const counts = createWindowCounts(WINDOW_MS, MOST_KEYS, now)
  const begun = new Map<string, number>()

  const keyOf = (address: string, content: string) => `${networkOf(address)} ${content}`
  return {
    take(address, continues = false) {
      const network = networkOf(address)
      const seconds = continues ? counts.take(`${network} ranges`, MOST_RANGES) : counts.take(network, MOST_REQUESTS)
      if (seconds > 0) throw new TooManyRequestsError(seconds, 'Too many requests.')
    },
    begin(address, content) {
      if (begun.size >= MOST_KEYS) begun.clear()
      begun.set(keyOf(address, content), now())
    },
    isUnderWay(address, content) {
      const since = begun.get(keyOf(address, content))
      return since !== undefined && now() - since < CONTINUED_MS
    },
  }
}
