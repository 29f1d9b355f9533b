import { AsyncLocalStorage } from 'node:async_hooks'
import type { UUID } from 'node:crypto'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import type { Parallel } from '../../../server/domain/transfers/contract.ts'
import type { Clock } from '../../../server/lib/clock.ts'
import type { Chance } from './random.ts'

export type VirtualClock = Clock & {
  /** One task after the other. */
  readonly parallel: Parallel
  /** Advances the time, also of the database. */
  advance(ms: number): Promise<void>
  /** The clock is set to another time: it jumps by so many milliseconds, which can be negative. */
  jump(ms: number): Promise<void>
}

/** 2026-01-01, so that no row is older than its schedule. */
export const EPOCH_MS = Date.UTC(2026, 0, 1)

/** A clock that only advances while something waits. Concurrent work runs one step at a time: the same seed gives the same order. */
export function createVirtualClock(chance: Chance, tellDatabase: (now: number) => Promise<void>): VirtualClock {
  let now = EPOCH_MS
  const jump = async (ms: number): Promise<void> => {
    now += Math.round(ms)
    await tellDatabase(now)
  }
  const advance = (ms: number): Promise<void> => jump(Math.max(0, ms))
  return {
    now: () => now,
    advance,
    jump,
    async sleep(ms, signal) {
      signal.throwIfAborted()
      await advance(ms)
      signal.throwIfAborted()
    },
    random: chance.next,
    async parallel(tasks) {
      const values: Awaited<ReturnType<(typeof tasks)[number]>>[] = []
      for (const task of tasks) values.push(await task())
      return values
    },
  }
}

/** What runs in a schedule, and everything that follows from it. */
const schedule = new AsyncLocalStorage<true>()

/**
 * Time, random numbers and new ids come from the schedule in `work` and in what it calls. Everything else in this process keeps the
 * real ones: a timer that an earlier test has left behind would take random numbers away from the schedule.
 */
export async function inVirtualTime<Result>(
  clock: VirtualClock,
  chance: Chance,
  work: () => Promise<Result>,
): Promise<Result> {
  const real = { now: Date.now, random: Math.random, perf: performance.now, uuid: crypto.randomUUID }
  const sleep = timers.setTimeout
  const isVirtual = () => schedule.getStore() === true
  const hex = (digits: number) => Array.from({ length: digits }, () => chance.between(0, 15).toString(16)).join('')
  const uuid = (): UUID => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`
  Date.now = () => (isVirtual() ? clock.now() : real.now())
  Math.random = () => (isVirtual() ? chance.next() : real.random())
  performance.now = () => (isVirtual() ? clock.now() - EPOCH_MS : real.perf.call(performance))
  crypto.randomUUID = (options) => (isVirtual() ? uuid() : real.uuid(options))
  timers.setTimeout = (async (ms = 0, value?: unknown, options: { signal?: AbortSignal } = {}) => {
    if (!isVirtual()) return sleep(ms, value, options)
    await clock.sleep(ms, options.signal ?? new AbortController().signal)
    return value
  }) as typeof timers.setTimeout
  syncBuiltinESMExports()
  try {
    return await schedule.run(true, work)
  } finally {
    Object.assign(Date, { now: real.now })
    Object.assign(Math, { random: real.random })
    performance.now = real.perf
    crypto.randomUUID = real.uuid
    timers.setTimeout = sleep
    syncBuiltinESMExports()
  }
}
