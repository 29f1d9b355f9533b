import type { Call, Driver } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import type { Clock } from './clock.ts'
import { trackSession } from './trackSession.ts'
import { type Operation, wrapDriver } from './wrapDriver.ts'

const MOST_TRIES = 5
const FIRST_PAUSE_MS = 1_000
/** A service that asks for more is left to the caller's own schedule. */
const LONGEST_PAUSE_MS = 60_000
/** Done twice they are not the same as once, and nobody knows whether the first try was done. */
const ONCE: ReadonlySet<Operation> = new Set(['copy', 'move'])

/**
 * Tries again what a later try may mend: Transient with full jitter, RateLimited after the time that was asked for. An error
 * that comes through has `attempts` set when trying was given up. A put continues its last saved session. The body of a
 * download is the reader's to resume.
 */
export function retry(driver: Driver, { clock }: { clock: Clock }): Driver {
  async function repeat<Value>(operation: Operation, call: Call, work: () => Promise<Value>): Promise<Value> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work()
      } catch (error) {
        if (!isWorthTrying(operation, error)) throw error
        const pause = pauseMs(error, attempt, clock)
        const patienceMs = Math.min(LONGEST_PAUSE_MS, call.patienceMs ?? LONGEST_PAUSE_MS)
        if (attempt === MOST_TRIES || call.lastChance || pause > patienceMs) throw givenUp(error, attempt)
        await clock.sleep(pause, call.signal)
      }
    }
  }

  return {
    ...wrapDriver(driver, (operation, call, work) => repeat(operation, call, () => work(driver))),
    put(call, entry, content, progress) {
      const next = trackSession(progress)
      return repeat('put', call, () => driver.put(call, entry, content, next()))
    },
  }
}

function isWorthTrying(operation: Operation, error: unknown): error is ProviderError {
  if (!(error instanceof ProviderError) || error.detail.attempts !== undefined) return false
  return error.code === 'RateLimited' || (error.code === 'Transient' && !ONCE.has(operation))
}

function pauseMs({ detail }: ProviderError, attempt: number, clock: Clock): number {
  return detail.retryAfterMs ?? clock.random() * Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS)
}

function givenUp(error: ProviderError, attempts: number): ProviderError {
  return new ProviderError(error.code, error.where, { ...error.detail, attempts, cause: error })
}
