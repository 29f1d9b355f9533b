/** A clock that stands still until it is told to go on. */
export type VirtualClock = {
  now(): number
  sleep(ms: number, signal: AbortSignal): Promise<void>
  random(): number
  /** Lets so much time pass, waking sleepers in their order, with all that follows at once done in between. */
  advance(ms: number): Promise<void>
  /** All that follows at once is done. */
  settle(): Promise<void>
  /** When sleepers want to wake, in ms from now. */
  sleepers(): number[]
}

type Sleeper = { readonly at: number; readonly wake: () => void }

export function virtualClock({ random = () => 0.5, start = 1_800_000_000_000 } = {}): VirtualClock {
  let now = start
  let sleepers: Sleeper[] = []
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  return {
    now: () => now,
    random,
    settle,
    sleepers: () => sleepers.map(({ at }) => at - now).toSorted((a, b) => a - b),
    sleep(ms, signal) {
      signal.throwIfAborted()
      return new Promise((resolve, reject) => {
        const sleeper: Sleeper = { at: now + ms, wake: resolve }
        sleepers.push(sleeper)
        const stop = (): void => {
          sleepers = sleepers.filter((other) => other !== sleeper)
          reject(signal.reason)
        }
        signal.addEventListener('abort', stop, { once: true })
      })
    },
    async advance(ms) {
      const end = now + ms
      await settle()
      for (;;) {
        const next = sleepers.toSorted((a, b) => a.at - b.at)[0]
        if (!next || next.at > end) break
        sleepers = sleepers.filter((other) => other !== next)
        now = Math.max(now, next.at)
        next.wake()
        await settle()
      }
      now = end
      await settle()
    },
  }
}
