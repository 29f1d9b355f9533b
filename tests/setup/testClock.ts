import { once } from 'node:events'
import type { Clock } from '../../server/lib/clock.ts'

/** Pauses pass at once and move it on, unless it is held; so does `advance`. */
export function testClock(): Clock & { advance(ms: number): void; hold(): void; letGo(): void } {
  let skew = 0
  let held: Promise<void> | null = null
  let letGo = () => {}
  return {
    now: () => Date.now() + skew,
    async sleep(ms, signal) {
      signal.throwIfAborted()
      if (!held) skew += ms
      else await Promise.race([held, once(signal, 'abort').then(() => signal.throwIfAborted())])
    },
    random: () => 0.5,
    advance(ms) {
      skew += ms
    },
    hold() {
      held = new Promise((resolve) => (letGo = resolve))
    },
    letGo() {
      held = null
      letGo()
    },
  }
}
