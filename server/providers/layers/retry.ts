import type { Call, Driver } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import type { Clock } from './clock.ts'
import { type Operation, trackSession, wrapDriver } from './wrapDriver.ts'

const MAX_ATTEMPTS = 5
const FIRST_PAUSE_MS = 1_000
/** Longer pauses are left to the caller's own schedule. */
const MAX_PAUSE_MS = 60_000
/** Not idempotent: after a lost response it is unknown whether the first attempt was carried out. */
const NOT_REPEATED: ReadonlySet<Operation> = new Set(['copy', 'move'])

/**
 * Retries errors that a later attempt may avoid: Transient with full jitter, RateLimited after the time that the service stated.
 * A thrown error has `attempts` set when retrying was given up. A put continues its last saved session. Broken bodies of downloads
 * are not retried here: the reader resumes them.
 */
export function retry(driver: Driver, { clock }: { clock: Clock }): Driver {
  async function repeat<Value>(operation: Operation, call: Call, work: () => Promise<Value>): Promise<Value> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work()
      } catch (error) {
        if (!isRetryable(operation, error)) throw error
        const pause = pauseMs(error, attempt, clock)
        const patienceMs = Math.min(MAX_PAUSE_MS, call.patienceMs ?? MAX_PAUSE_MS)
        if (attempt === MAX_ATTEMPTS || call.lastChance || pause > patienceMs) throw givenUp(error, attempt)
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

function isRetryable(operation: Operation, error: unknown): error is ProviderError {
  if (!(error instanceof ProviderError) || error.detail.attempts !== undefined) return false
  return error.code === 'RateLimited' || (error.code === 'Transient' && !NOT_REPEATED.has(operation))
}

function pauseMs({ detail }: ProviderError, attempt: number, clock: Clock): number {
  return detail.retryAfterMs ?? clock.random() * Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), MAX_PAUSE_MS)
}

function givenUp(error: ProviderError, attempts: number): ProviderError {
  return new ProviderError(error.code, error.where, { ...error.detail, attempts, cause: error })
}
