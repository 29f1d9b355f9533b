import type pg from 'pg'
import type { Driver } from '../../../../server/providers/driver.ts'
import type { Chance } from '../random.ts'

/**
 * Concurrent work, one step at a time: each statement and each call of a provider waits for its turn, and the seed decides whose turn
 * it is. A statement that waits for a lock lets the others continue until it is granted. So the same seed gives the same order.
 */
export type Turns = {
  step<Value>(work: () => Value | Promise<Value>, pid?: number): Promise<Value>
  pool(pool: pg.Pool): pg.Pool
  driver(driver: Driver): Driver
  /** Resolves when no step is left: work that has failed can leave calls behind. */
  whenIdle(): Promise<void>
}

/** A step that has begun: `over` once it has ended in any way. Who waits for it learns of it with `deliver`. */
type Running = {
  over: boolean
  readonly ended: Promise<void>
  readonly pid: number | undefined
  deliver(): void
}

/** Only locks of these connections count: those of the database's own workers are over at once. */
const IS_BLOCKED = `select exists (select from unnest(pg_blocking_pids($1)) as b (pid) where pid = any($2::int[])) as yes`

/** @param control a connection that is not part of the work */
export function createTurns(chance: Chance, control: pg.Pool): Turns {
  const waiting: (() => Running)[] = []
  const blocked = new Set<Running>()
  const pids = new Set<number>()
  let isPumping = false

  async function isBlocked({ pid }: Running): Promise<boolean> {
    if (pid === undefined) return false
    const { rows } = await control.query<{ yes: boolean }>(IS_BLOCKED, [pid, [...pids]])
    return rows[0]?.yes === true
  }

  /** @returns whether it is over; otherwise it waits for a lock */
  async function isOver(running: Running): Promise<boolean> {
    for (let looks = 0; ; looks += 1) {
      await Promise.race([running.ended, pause(looks)])
      if (running.over) return true
      if (looks > 0 && (await isBlocked(running))) return running.over
    }
  }

  /** @returns false if it waits for a lock */
  async function finish(running: Running): Promise<boolean> {
    if (!(await isOver(running))) return false
    running.deliver()
    await quiet()
    return true
  }

  async function pump(): Promise<void> {
    await quiet()
    for (;;) {
      for (const running of blocked) if (await finish(running)) blocked.delete(running)
      // Without a choice none is made: how often this looks depends on the machine.
      const at = waiting.length > 1 ? Math.floor(chance.next() * waiting.length) : 0
      const [next] = waiting.splice(at, 1)
      if (!next && blocked.size > 0) continue
      if (!next) return
      const running = next()
      if (!(await finish(running))) blocked.add(running)
    }
  }

  function wakeNext(): void {
    if (isPumping) return
    isPumping = true
    void pump().finally(() => {
      isPumping = false
      if (waiting.length > 0) wakeNext()
    })
  }

  const step: Turns['step'] = (work, pid) =>
    new Promise((resolve, reject) => {
      waiting.push(() => {
        const result = (async () => work())()
        const end = () => {
          running.over = true
        }
        const deliver = () => void result.then(resolve, reject)
        const running: Running = { over: false, ended: result.then(end, end), pid, deliver }
        return running
      })
      wakeNext()
    })

  function client(connected: pg.PoolClient): pg.PoolClient {
    const pid = (connected as pg.PoolClient & { processID: number }).processID
    pids.add(pid)
    return new Proxy(connected, {
      get(object, key) {
        const value = Reflect.get(object, key, object)
        if (typeof value !== 'function') return value
        if (key !== 'query') return value.bind(object)
        return (...given: unknown[]) => step(() => value.apply(object, given), pid)
      },
    })
  }

  function pool(real: pg.Pool): pg.Pool {
    const connect = async () => client(await step(() => real.connect()))
    return new Proxy(real, {
      get(object, key) {
        if (key === 'connect') return connect
        if (key !== 'query') return Reflect.get(object, key, object)
        return async (...given: Parameters<pg.PoolClient['query']>) => {
          const one = await connect()
          try {
            return await one.query(...given)
          } finally {
            one.release()
          }
        }
      },
    })
  }

  function driver(real: Driver): Driver {
    return new Proxy(real, {
      get(object, key) {
        const value = Reflect.get(object, key, object)
        return typeof value === 'function' ? (...given: unknown[]) => step(() => value.apply(object, given)) : value
      },
    })
  }

  async function whenIdle(): Promise<void> {
    do await quiet()
    while (isPumping)
  }

  return { step, pool, driver, whenIdle }
}

/** Whatever follows from the step before without a further step has happened. */
async function quiet(): Promise<void> {
  for (let times = 0; times < 3; times += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** A statement takes a millisecond or so; most end before they are asked about. */
const pause = (looks: number) => new Promise<void>((resolve) => setTimeout(resolve, looks === 0 ? 10 : 2))
