import type { Clock } from './clock.ts'
import type { CallOutcome } from './limiter.ts'

const MOST_FAILURES = 5
const WITHIN_MS = 60_000
const OPEN_MS = 30_000
/** While one call finds out whether the service is back. */
const PROBING_MS = 1_000
/** However many insist, a service that has just failed is left alone for so long. */
const INSIST_AFTER_MS = 1_000

export type Circuit = {
  /** How long calls are to fail at once; 0 when they may go. One that insists may go earlier, when it would be the only one. */
  leftMs(insists?: boolean): number
  /** A call is finding out whether the service is back. */
  isProbing(): boolean
  /** A call goes. @returns whether it is the one that finds out if the service is back */
  begin(): boolean
  answered(isProbe: boolean): void
  end(isProbe: boolean, outcome: CallOutcome): void
}

/** Opens after five failures in a row within a minute; half a minute later one call may try. */
export function createCircuit(clock: Pick<Clock, 'now'>): Circuit {
  let failures: number[] = []
  let openUntil: number | null = null
  let isProbing = false
  const close = (): void => {
    openUntil = null
    isProbing = false
    failures = []
  }

  return {
    leftMs(insists = false) {
      if (openUntil === null) return 0
      const closedFor = insists ? (failures.at(-1) ?? 0) + INSIST_AFTER_MS : openUntil
      return Math.max(closedFor - clock.now(), isProbing ? PROBING_MS : 0)
    },
    isProbing: () => isProbing,
    begin() {
      const isProbe = openUntil !== null
      if (isProbe) isProbing = true
      return isProbe
    },
    answered(isProbe) {
      if (isProbe) close()
    },
    end(isProbe, outcome) {
      if (outcome === undefined) {
        if (isProbe) isProbing = false
        return
      }
      if (outcome?.code !== 'Transient') return close()
      const now = clock.now()
      failures = [...failures.filter((at) => now - at < WITHIN_MS), now]
      if (!isProbe && failures.length < MOST_FAILURES) return
      openUntil = now + OPEN_MS
      isProbing = false
    },
  }
}
