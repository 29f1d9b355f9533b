import type { Clock } from './clock.ts'

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 64_000

export type Pause = {
  /** How long the account is to be left alone; 0 when it may be asked. */
  leftMs(): number
  /** Changes with every pause: what began before it knows nothing of it. */
  epoch(): number
  /** The service asked for a pause, of so many ms where it said so. @returns false when the call had begun before the last one */
  begin(retryAfterMs: number | undefined, epoch: number): boolean
  /** A call went well. */
  calm(): void
}

/** Pauses of a whole account. Where the service names no time they double, with up to a second of chance. */
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
      const doubled = Math.min(FIRST_PAUSE_MS * 2 ** (inARow - 1), LONGEST_PAUSE_MS - 1_000)
      const ms = retryAfterMs ?? (isNew ? doubled + clock.random() * 1_000 : 0)
      until = Math.max(until, clock.now() + ms)
      return isNew
    },
    calm() {
      inARow = 0
    },
  }
}
