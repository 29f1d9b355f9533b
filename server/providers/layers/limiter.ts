import { setMaxListeners } from 'node:events'
import type { Capabilities } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { createCircuit } from './circuit.ts'
import type { Clock } from './clock.ts'
import { createLanes, type Lane } from './lanes.ts'
import { createPause } from './pause.ts'

/** How one call ended, as far as it says something of the service. `null`: well; `undefined`: nothing is known. */
export type CallOutcome = ProviderError | null | undefined

export type Limiter = {
  /**
   * Waits for a slot and the end of a pause. The call that was let in says once how it ended.
   * @throws ProviderError at once while the service is out of reach, or asked to be left alone for long; the signal's reason
   */
  enter(lane: Lane, signal: AbortSignal, where: { provider: string; operation: string }): Promise<Entered>
}
export type Entered = {
  /** The service has answered: it is in reach. */
  answered(): void
  leave(outcome: CallOutcome): void
}

/** A pause that a call waits for; of a longer one it hears at once. */
const LONGEST_WAIT_MS = 60_000

/** The slots, pauses and the circuit of one account. */
export function createLimiter(capabilities: Capabilities, clock: Clock): Limiter {
  const lanes = createLanes(capabilities, clock)
  const pause = createPause(clock)
  const circuit = createCircuit(clock)

  return {
    async enter(lane, signal, where) {
      // The signal of one job serves many calls side by side: that is no leak.
      setMaxListeners(0, signal)
      for (;;) {
        signal.throwIfAborted()
        const wait = pause.leftMs()
        if (wait > LONGEST_WAIT_MS) throw pausedFor(wait, where)
        refuseWhenOpen(circuit.leftMs(), where)
        if (wait > 0) await clock.sleep(wait, signal)
        await lanes.take(lane, signal)
        // While it waited for the slot the service may have said something.
        if (pause.leftMs() === 0 && circuit.leftMs() === 0) break
        lanes.free(lane)
      }
      const isProbe = circuit.begin()
      const startedAt = pause.epoch()
      let isOver = false
      return {
        answered: () => circuit.answered(isProbe),
        leave(outcome) {
          if (isOver) return
          isOver = true
          if (outcome?.code === 'RateLimited' && pause.begin(outcome.detail.retryAfterMs, startedAt)) lanes.halve()
          if (outcome === null) pause.calm()
          circuit.end(isProbe, outcome)
          lanes.free(lane)
        },
      }
    },
  }
}

function pausedFor(retryAfterMs: number, where: { provider: string; operation: string }): ProviderError {
  const message = 'The service asked to be left alone for a while.'
  return new ProviderError('RateLimited', where, { message, retryAfterMs, attempts: 0 })
}

function refuseWhenOpen(leftMs: number, where: { provider: string; operation: string }): void {
  if (leftMs === 0) return
  const message = 'The service does not answer; it is left alone for a moment.'
  throw new ProviderError('Transient', where, { message, retryAfterMs: leftMs, attempts: 0 })
}
