import type { ProviderError } from '../errors.ts'
import type { Clock } from './clock.ts'

/** How one call ended, as far as it says something about the service. `null`: success; `undefined`: unknown. */
export type CallOutcome = ProviderError | null | undefined

const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 64_000

export type Pause = {
  /** How long no call may be made (ms); 0 when calls are allowed. */
  leftMs(): number
  /** Number of pauses so far: a call that began in an earlier epoch started without the last pause. */
  epoch(): number
  /** The service asked for a pause, of `retryAfterMs` where it says so. @returns false when the call began before the last pause */
  begin(retryAfterMs: number | undefined, epoch: number): boolean
  /** A call succeeded: the next pause is short again. */
  reset(): void
  /** It does not apply any more. */
  end(): void
}

/** Pauses that an account's service asks for (429). Without a stated time they double, with up to a second of jitter. */
export function createPause(clock: Clock): Pause {
  let until = 0
  let pauses = 0
  let inARow = 0

  return {
    leftMs: () => Math.max(0, until - clock.now()),
    epoch: () => pauses,
    begin(retryAfterMs, epoch) {
      const isNew = epoch === pauses
      if (isNew) {
        pauses += 1
        inARow += 1
      }
      const doubled = Math.min(FIRST_PAUSE_MS * 2 ** (inARow - 1), MAX_PAUSE_MS - 1_000)
      const ms = retryAfterMs ?? (isNew ? doubled + clock.random() * 1_000 : 0)
      until = Math.max(until, clock.now() + ms)
      return isNew
    },
    reset() {
      inARow = 0
    },
    end() {
      until = 0
      inARow = 0
    },
  }
}

const MAX_FAILURES = 5
const WITHIN_MS = 60_000
const OPEN_MS = 30_000
/** Reported as the rest of the time while a probe is running. */
const PROBING_MS = 1_000
/** Calls that insist wait at least this long after a failure. */
const INSIST_AFTER_MS = 1_000

export type Circuit = {
  /** How long calls fail without being sent (ms); 0 when they are allowed. A call that insists may go earlier, as the only one. */
  leftMs(insists?: boolean): number
  /** A call is testing whether the service can be reached again. */
  isProbing(): boolean
  /** A call starts. @returns whether it is the probe */
  begin(): boolean
  /** The service has answered a call: after a probe the circuit closes. */
  answered(isProbe: boolean): void
  end(isProbe: boolean, outcome: CallOutcome): void
}

/** Circuit breaker: opens after five consecutive failures within a minute; half a minute later one call is let through as a probe. */
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
      if (!isProbe && failures.length < MAX_FAILURES) return
      openUntil = now + OPEN_MS
      isProbing = false
    },
  }
}
