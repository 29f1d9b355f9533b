import { setImmediate } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'
import { type LimitsOfServer, spread, startLimits } from './world.ts'

/** Slots that three servers share. */
let database: TestDatabase
let servers: [LimitsOfServer, LimitsOfServer, LimitsOfServer]
const never = new AbortController().signal

beforeAll(async () => {
  database = await createTestDatabase()
  servers = await Promise.all([startLimits(database), startLimits(database), startLimits(database)])
})
afterEach(() => {
  for (const server of servers) server.fail(null)
})
afterAll(async () => {
  for (const server of servers ?? []) await server.close()
  await database?.close()
})

const rowsOf = async (key: string) =>
  (await database.pool.query('select from held_slots where key = $1', [key])).rowCount
const isHeld = <Held>(held: Held | null): held is Held => held !== null

describe('a slot that is taken or refused', () => {
  it('is one of as many as the limit says, on all servers together', async () => {
    const held = (await spread(servers, 10, ({ slots }) => slots.tryTake('five', 5))).filter(isHeld)
    expect(held).toHaveLength(5)
    expect(await rowsOf('five')).toBe(5)
    for (const leave of held) leave()
    await expect.poll(() => rowsOf('five')).toBe(0)
  })

  it('can be taken by another server as soon as it was left, once', async () => {
    const [first, second] = servers
    const leave = await first.slots.tryTake('one', 1)
    expect(await second.slots.tryTake('one', 1)).toBeNull()
    leave?.()
    leave?.()
    await expect.poll(() => rowsOf('one')).toBe(0)
    const other = await second.slots.tryTake('one', 1)
    expect(other).not.toBeNull()
    leave?.()
    expect(await first.slots.tryTake('one', 1)).toBeNull()
    other?.()
  })

  it('is free when its server is not in the register any more', async () => {
    const dead = await startLimits(database)
    expect(await dead.slots.tryTake('dead', 1)).not.toBeNull()
    await dead.vanish()
    expect(await servers[0].slots.tryTake('dead', 1)).not.toBeNull()
    // It may not take any before it is back in the register.
    expect(await dead.slots.tryTake('other', 1)).toBeNull()
    await dead.close()
  })

  it('is taken again by a server that stood still, unless another one has it', async () => {
    const frozen = await startLimits(database)
    await frozen.slots.tryTake('kept', 1)
    await frozen.slots.tryTake('lost', 1)
    await frozen.vanish()
    const leave = await servers[0].slots.tryTake('lost', 1)
    await database.pool.query('insert into servers (id) values ($1)', [frozen.id])
    frozen.onDeclaredDead()
    await expect.poll(() => rowsOf('kept')).toBe(1)
    expect(await servers[0].slots.tryTake('kept', 1)).toBeNull()
    expect(await rowsOf('lost')).toBe(1)
    leave?.()
    await expect.poll(() => rowsOf('lost')).toBe(0)
    await frozen.close()
  })

  it('is taken again after a crash of the database, which empties the table', async () => {
    const [first, second] = servers
    const leave = await first.slots.tryTake('crash', 1)
    await database.pool.query(`delete from held_slots where key = 'crash'`)
    await database.pool.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [
      `skypool-limits ${first.id}`,
    ])
    await expect.poll(() => rowsOf('crash')).toBe(1)
    expect(await second.slots.tryTake('crash', 1)).toBeNull()
    leave?.()
    await expect.poll(() => rowsOf('crash')).toBe(0)
  })

  it('is refused with an error while the database does not answer, and is not lost when only the answer was', async () => {
    const [first, second] = servers
    first.fail('lost')
    await expect(first.slots.tryTake('down', 1)).rejects.toThrow('terminated')
    first.fail('refused')
    await expect(first.slots.tryTake('down', 1)).rejects.toThrow('ECONNREFUSED')
    expect(await second.slots.tryTake('down', 1)).toBeNull()
    first.fail(null)
    // With its next statement the server removes what it does not hold.
    const leave = await first.slots.tryTake('another', 1)
    leave?.()
    await expect.poll(() => rowsOf('down')).toBe(0)
  })

  it('is left later when the database did not answer', async () => {
    const [first] = servers
    const leave = await first.slots.tryTake('later', 1)
    first.fail('refused')
    leave?.()
    await setImmediate()
    first.fail(null)
    await expect.poll(() => rowsOf('later'), { timeout: 60_000 }).toBe(0)
  })
})

/** Long enough for other servers to begin something too. */
async function work(): Promise<void> {
  for (let turn = 0; turn < 25; turn += 1) await setImmediate()
}

/** Counts what runs at once, and what the most was. */
function createGauge() {
  let running = 0
  const gauge = {
    most: 0,
    async run(act = work) {
      running += 1
      gauge.most = Math.max(gauge.most, running)
      await act()
      running -= 1
    },
  }
  return gauge
}

describe('calls that wait for a slot', () => {
  it('run as many at once as the limit says, and all of them', async () => {
    const gauge = createGauge()
    let done = 0
    await spread(servers, 40, async ({ slots }) => {
      const leave = await slots.take('calls', 4, never)
      await gauge.run()
      done += 1
      leave()
    })
    expect(done).toBe(120)
    expect(gauge.most).toBeLessThanOrEqual(4)
    await expect.poll(() => rowsOf('calls'), { timeout: 60_000 }).toBe(0)
  })

  it('run too many at once when each process counts for itself, which is noticed', async () => {
    const gauge = createGauge()
    let letGo = () => {}
    const held = new Promise<void>((resolve) => (letGo = resolve))
    const runs = spread(servers, 4, async ({ id, slots }) => {
      const leave = await slots.take(`own ${id}`, 4, never)
      await gauge.run(() => held)
      leave()
    })
    await expect.poll(() => gauge.most).toBe(12)
    letGo()
    await runs
  })

  it.each([1, 4])('are not held up by a server that has always more to do (limit %i)', async (limit) => {
    const [busy, other, third] = servers
    const key = `busy ${limit}`
    const gauge = createGauge()
    const end = new AbortController()
    const endless = Array.from({ length: 12 }, async () => {
      while (!end.signal.aborted) {
        const leave = await busy.slots.take(key, limit, never)
        await gauge.run()
        leave()
      }
    })
    await expect.poll(() => gauge.most).toBe(limit)
    for (const { slots } of [other, third, other]) {
      const leave = await slots.take(key, limit, never)
      await gauge.run()
      leave()
    }
    end.abort()
    await Promise.all(endless)
    expect(gauge.most).toBe(limit)
  })

  it('cost few statements while one server makes them', async () => {
    const [first] = servers
    const before = first.statements()
    for (let turn = 0; turn < 1_000; turn += 1) (await first.slots.take('steady', 3, never))()
    expect(first.statements() - before).toBeLessThan(20)
  })

  it('is given to no call that was aborted before it asked', async () => {
    const [first] = servers
    const leave = await first.slots.take('late', 1, never)
    const asked = first.slots.take('late', 1, AbortSignal.abort(new Error('The client is gone.')))
    const outcome = asked.then(
      () => 'taken',
      (error: Error) => error.message,
    )
    leave()
    expect(await outcome).toBe('The client is gone.')
  })

  it('end with the reason of their signal, and leave nothing', async () => {
    const [first, second] = servers
    const leave = await first.slots.take('aborted', 1, never)
    const stop = new AbortController()
    const waiting = second.slots.take('aborted', 1, stop.signal)
    stop.abort(new Error('The client is gone.'))
    await expect(waiting).rejects.toThrow('The client is gone.')
    leave()
    await expect.poll(() => rowsOf('aborted'), { timeout: 60_000 }).toBe(0)
  })

  it('have the even part of a server while the database does not answer, and share again after that', async () => {
    const [first, second] = servers
    first.fail('refused')
    const gauge = createGauge()
    let letGo = () => {}
    const held = new Promise<void>((resolve) => (letGo = resolve))
    const runs = Array.from({ length: 6 }, async () => {
      const leave = await first.slots.take('part', 6, never)
      await gauge.run(() => held)
      leave()
    })
    // Six slots and three servers.
    await expect.poll(() => gauge.most).toBe(2)
    expect(await rowsOf('part')).toBe(0)
    first.fail(null)
    letGo()
    await Promise.all(runs)
    expect(gauge.most).toBeLessThanOrEqual(6)
    const leaves = await Promise.all(Array.from({ length: 6 }, () => second.slots.take('part', 6, never)))
    expect(await rowsOf('part')).toBe(6)
    for (const leave of leaves) leave()
  })

  it('use no slot beyond a limit that has become lower', async () => {
    const [first, second] = servers
    const leaves = await Promise.all(Array.from({ length: 8 }, () => first.slots.take('halved', 8, never)))
    const later = second.slots.take('halved', 4, never)
    for (const leave of leaves) leave()
    ;(await later)()
    const gauge = createGauge()
    await spread([first, second], 20, async ({ slots }) => {
      const leave = await slots.take('halved', 4, never)
      await gauge.run()
      leave()
    })
    expect(gauge.most).toBeLessThanOrEqual(4)
  })
})
