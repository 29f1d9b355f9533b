import type { Capabilities } from '../driver.ts'
import type { Clock } from './clock.ts'

/**
 * Uploads, downloads and all else have slots of their own. An upload waits for the download that feeds it, from another account
 * or the same one, and must not hold what that needs; what is quick must not wait for either.
 */
export type Lane = 'write' | 'read' | 'control'

export type Lanes = {
  /** First come, first served. Rejects with the signal's reason once that is aborted. */
  take(lane: Lane, signal: AbortSignal): Promise<void>
  free(lane: Lane): void
  /** Half as many at once of these, and one more after each minute. */
  halve(lanes: readonly Lane[]): void
}

const MOST_WRITES = 4
const GROW_EVERY_MS = 60_000

type Waiting = { readonly start: () => void }

/** As many at once as the service allows; each lane has one slot at least. */
export function createLanes(capabilities: Capabilities, clock: Pick<Clock, 'now'>): Lanes {
  const most = shares(capabilities)
  const total = Math.max(3, capabilities.maxConcurrency)
  const active: Record<Lane, number> = { write: 0, read: 0, control: 0 }
  const waiting: Record<Lane, Waiting[]> = { write: [], read: [], control: [] }
  const ceilings = new Map<Lane, { readonly most: number; readonly since: number }>()

  const now = (lane: Lane): number => {
    const { most: ceiling, since } = ceilings.get(lane) ?? { most: total, since: 0 }
    const grown = Math.floor((clock.now() - since) / GROW_EVERY_MS)
    return Math.min(total, ceiling + Math.max(0, grown))
  }
  const isFree = (lane: Lane): boolean => active[lane] < Math.max(1, Math.floor((most[lane] * now(lane)) / total))
  const pump = (lane: Lane): void => {
    while (waiting[lane].length > 0 && isFree(lane)) {
      active[lane] += 1
      waiting[lane].shift()?.start()
    }
  }

  return {
    take(lane, signal) {
      if (waiting[lane].length === 0 && isFree(lane)) {
        active[lane] += 1
        return Promise.resolve()
      }
      return new Promise((resolve, reject) => {
        const stop = (): void => {
          waiting[lane] = waiting[lane].filter((other) => other !== one)
          reject(signal.reason)
        }
        const start = (): void => {
          signal.removeEventListener('abort', stop)
          resolve()
        }
        const one: Waiting = { start }
        waiting[lane].push(one)
        signal.addEventListener('abort', stop, { once: true })
        pump(lane)
      })
    },
    free(lane) {
      active[lane] -= 1
      pump(lane)
    },
    halve(lanes) {
      for (const lane of lanes) {
        ceilings.set(lane, { most: Math.max(1, Math.floor(now(lane) / 2)), since: clock.now() })
      }
    },
  }
}

/** How the service's number is divided: never more in all, except where it is below three. */
function shares({ maxConcurrency, maxConcurrentWrites }: Capabilities): Readonly<Record<Lane, number>> {
  const write = Math.max(1, Math.min(MOST_WRITES, maxConcurrentWrites, Math.floor(maxConcurrency / 2)))
  const control = Math.max(1, Math.floor((maxConcurrency - write) / 3))
  return { write, control, read: Math.max(1, maxConcurrency - write - control) }
}
