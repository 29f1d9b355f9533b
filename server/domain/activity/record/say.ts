import type { ActivityEntry } from '../../services/activity.ts'
import type { Viewer } from '../../viewer.ts'

/** Writes down what a viewer has done. */
export type Say = (viewer: Viewer, entry: ActivityEntry) => void

/** The methods of a service that change something: all but those that are said to read only. */
export type Changes<Service, Reads extends keyof Service> = Omit<Service, Reads>

/** True once per text within ten minutes; of the last thousand texts. */
export function createOnce(now: () => number = Date.now): (text: string) => boolean {
  const seen = new Map<string, number>()
  return (text) => {
    const last = seen.get(text)
    if (last !== undefined && now() - last < TEN_MINUTES_MS) return false
    seen.delete(text)
    seen.set(text, now())
    const [oldest] = seen.keys()
    if (seen.size > REMEMBERED && oldest !== undefined) seen.delete(oldest)
    return true
  }
}

const TEN_MINUTES_MS = 600_000
const REMEMBERED = 1_000
