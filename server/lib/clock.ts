import { setTimeout as sleep } from 'node:timers/promises'

/** Time and randomness, for what waits and tries again; tests and simulations pass their own. */
export type Clock = {
  /** Milliseconds since 1970. */
  now(): number
  /** Rejects with the signal's reason once that is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** A random number from 0 to less than 1. */
  random(): number
}

export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    await sleep(ms, undefined, { signal, ref: false }).catch((error: unknown) => {
      signal.throwIfAborted()
      throw error
    })
  },
  random: () => Math.random(),
}
