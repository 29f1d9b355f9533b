import { setMaxListeners } from 'node:events'
import type { Call, Capabilities } from '../driver.ts'
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
  enter(kind: CallKind, call: Pick<Call, 'signal' | 'lastChance' | 'patienceMs'>, where: Where): Promise<Entered>
}
export type CallKind = { readonly lane: Lane; readonly isWrite: boolean }
type Where = { readonly provider: string; readonly operation: string }
export type Entered = {
  /** The service has answered: it is in reach. */
  answered(): void
  leave(outcome: CallOutcome): void
}

/** The longest pause that a call waits for unless it says so itself; of a longer one it hears at once. */
const LONGEST_WAIT_MS = 60_000
const LOOK_AGAIN_MS = 100
const ALL_LANES: readonly Lane[] = ['write', 'read', 'control']

/**
 * The slots, pauses and the circuit of one account. A write that is asked to wait stops writes alone: services count those apart
 * (Dropbox: too_many_write_operations; Drive: uploads of a day), and where they do not, the next read is asked to wait itself.
 */
export function createLimiter(capabilities: Capabilities, clock: Clock): Limiter {
  const lanes = createLanes(capabilities, clock)
  const pauseOfAll = createPause(clock)
  const pauseOfWrites = createPause(clock)
  const circuit = createCircuit(clock)

  /** Somebody finds out already whether the service is back: that decides for those who insist too. */
  async function otherProbe(signal: AbortSignal): Promise<void> {
    while (circuit.isProbing()) await clock.sleep(LOOK_AGAIN_MS, signal)
  }

  return {
    async enter({ lane, isWrite }, { signal, lastChance = false, patienceMs = LONGEST_WAIT_MS }, where) {
      const pauses = isWrite ? [pauseOfAll, pauseOfWrites] : [pauseOfAll]
      const pause = isWrite ? pauseOfWrites : pauseOfAll
      const pausedMs = (): number => Math.max(...pauses.map(({ leftMs }) => leftMs()))
      // The signal of one job serves many calls side by side: that is no leak.
      setMaxListeners(0, signal)
      for (;;) {
        signal.throwIfAborted()
        const wait = pausedMs()
        if (wait > patienceMs) throw pausedFor(wait, where)
        if (lastChance) await otherProbe(signal)
        refuseWhenOpen(circuit.leftMs(lastChance), where)
        if (wait > 0) await clock.sleep(wait, signal)
        await lanes.take(lane, signal)
        // While it waited for the slot the service may have said something.
        if (pausedMs() === 0 && circuit.leftMs(lastChance) === 0) break
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
          if (outcome?.code === 'RateLimited' && pause.begin(outcome.detail.retryAfterMs, startedAt)) {
            lanes.halve(isWrite ? ['write'] : ALL_LANES)
          }
          if (outcome === null) for (const { calm } of pauses) calm()
          circuit.end(isProbe, outcome)
          lanes.free(lane)
        },
      }
    },
  }
}

function pausedFor(retryAfterMs: number, where: Where): ProviderError {
  const message = 'The service asked to be left alone for a while.'
  return new ProviderError('RateLimited', where, { message, retryAfterMs, attempts: 0 })
}

function refuseWhenOpen(leftMs: number, where: Where): void {
  if (leftMs === 0) return
  const message = 'The service does not answer; it is left alone for a moment.'
  throw new ProviderError('Transient', where, { message, retryAfterMs: leftMs, attempts: 0 })
}
