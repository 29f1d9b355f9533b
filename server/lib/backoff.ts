import { setTimeout as sleep } from 'node:timers/promises'

export type PauseOptions = { readonly firstMs: number; readonly longestMs: number; readonly signal: AbortSignal }

/** Yields after each of ever longer pauses (doubling, up to `longestMs`, with a fifth of jitter) and ends when the signal aborts. */
export async function* pauses({ firstMs, longestMs, signal }: PauseOptions): AsyncGenerator<void> {
  for (let pause = firstMs; ; pause = Math.min(pause * 2, longestMs)) {
    const slept = await sleep(pause * (0.9 + Math.random() * 0.2), true, { signal, ref: false }).catch(() => false)
    if (!slept) return
    yield
  }
}
