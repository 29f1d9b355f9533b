import type pg from 'pg'
import type { Driver } from '../../server/providers/driver.ts'

/** A process that dies at its nth step: nothing it asks of database, disk or providers happens from then on. */
export type Crash = {
  readonly steps: number
  readonly died: boolean
  pool(pool: pg.Pool): pg.Pool
  driver(driver: Driver): Driver
  step<Value>(act: () => Promise<Value>): Promise<Value>
}

class Died extends Error {}

/** `when`: the last step is not done, or is done and its answer never seen. */
export function createCrash(at: number, when: 'before' | 'after'): Crash {
  let steps = 0
  let died = false

  async function step<Value>(act: () => Promise<Value>): Promise<Value> {
    if (died) throw new Died()
    steps += 1
    if (steps < at) return act()
    died = true
    if (when === 'after') await act()
    throw new Died()
  }
  /** The same object whose named methods are steps. */
  const stepping = <Target extends object>(target: Target, methods: ReadonlySet<string | symbol>): Target =>
    new Proxy(target, {
      get(object, key) {
        const value = Reflect.get(object, key, object)
        if (typeof value !== 'function') return value
        const bound = value.bind(object)
        return methods.has(key) ? (...given: unknown[]) => step(() => bound(...given)) : bound
      },
    })

  return {
    get steps() {
      return steps
    },
    get died() {
      return died
    },
    step,
    pool(pool) {
      const counted = stepping(pool, new Set(['query']))
      return new Proxy(counted, {
        get(object, key) {
          if (key !== 'connect') return Reflect.get(object, key, object)
          return async () => stepping(await pool.connect(), new Set(['query']))
        },
      })
    },
    driver: (driver) => stepping(driver, new Set(['put', 'copy', 'stat', 'delete', 'ensureFolder', 'get', 'abandon'])),
  }
}
