import { setTimeout as sleep } from 'node:timers/promises'

/** Time, chance and order, as transfers see them: a simulation brings its own. */
export type Clock = {
  /** Milliseconds since 1970. */
  now(): number
  /** Rejects with the signal's reason once that is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** From 0 to less than 1. */
  random(): number
  /** Runs all tasks, side by side, and resolves with their values in the order of the tasks. Tasks do not throw. */
  parallel<Value>(tasks: readonly (() => Promise<Value>)[]): Promise<Value[]>
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
  parallel: (tasks) => Promise.all(tasks.map((task) => task())),
}
