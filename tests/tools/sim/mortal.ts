import type pg from 'pg'
import type { Driver } from '../../../server/providers/driver.ts'
import type { ObjectStore } from '../../../server/storage/objectStore.ts'

/** Thrown by every step of a crashed process. */
export class Died extends Error {
  override readonly name = 'Died'
}

/** A server process that can crash between any two steps: from then on none of its calls to database, disk or providers has an effect. */
export type Life = {
  readonly steps: number
  readonly died: boolean
  /** It crashes at the nth step from now, before the step or before its result is seen. */
  dieAt(step: number, when: 'before' | 'after'): void
  /** Cancels a planned crash. */
  live(): void
  /** Ends the process and its connections. */
  bury(): void
  pool(pool: pg.Pool): pg.Pool
  store(store: ObjectStore): ObjectStore
  driver(driver: Driver): Driver
}

const QUERY = new Set(['query'])
const STORE = new Set(['stage', 'syncStaged', 'syncStaging', 'publish', 'delete', 'discard', 'listStaged'])
/** Of a new object, which is on the disk with this and not before. */
const WRITER = new Set(['sync'])
const DRIVER = new Set([
  ...['identity', 'quota', 'stat', 'get', 'put', 'abandon', 'delete', 'ensureFolder'],
  ...['list', 'listAll', 'changes', 'move', 'trash', 'restore', 'copy'],
])

export function createLife(): Life {
  let steps = 0
  let died = false
  const clients = new Set<pg.PoolClient>()
  let death: { readonly at: number; readonly when: 'before' | 'after' } | null = null

  async function step<Value>(act: () => Value | Promise<Value>): Promise<Value> {
    if (died) throw new Died('This process has died.')
    steps += 1
    if (death === null || steps < death.at) return act()
    died = true
    if (death.when === 'after') await act()
    throw new Died('This process dies here.')
  }
  /** The same object whose named methods are steps. */
  const stepping = <Target extends object>(target: Target, methods: ReadonlySet<string | symbol>): Target =>
    new Proxy(target, {
      get(object, key) {
        const value = Reflect.get(object, key, object)
        if (typeof value !== 'function') return value
        const bound = value.bind(object)
        if (!methods.has(key)) return bound
        // PostgreSQL rolls back when a connection breaks.
        return (...given: unknown[]) => (given[0] === 'rollback' ? bound(...given) : step(() => bound(...given)))
      },
    })

  function remembered(client: pg.PoolClient): pg.PoolClient {
    clients.add(client)
    const release = client.release.bind(client)
    client.release = (broken) => {
      clients.delete(client)
      release(broken)
    }
    return client
  }

  return {
    get steps() {
      return steps
    },
    get died() {
      return died
    },
    dieAt(step, when) {
      death = { at: steps + step, when }
    },
    live() {
      death = null
    },
    bury() {
      died = true
      for (const client of clients) client.release(true)
    },
    pool(pool) {
      return new Proxy(stepping(pool, QUERY), {
        get(object, key) {
          if (key !== 'connect') return Reflect.get(object, key, object)
          return async () => stepping(remembered(await pool.connect()), QUERY)
        },
      })
    },
    store(store) {
      return new Proxy(stepping(store, STORE), {
        get(object, key) {
          if (key !== 'create') return Reflect.get(object, key)
          return (objectId: string) => stepping(store.create(objectId), WRITER)
        },
      })
    },
    driver: (driver) => stepping(driver, DRIVER),
  }
}
