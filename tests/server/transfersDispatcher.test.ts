import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { EngineDeps } from '../../server/domain/transfers/contract.ts'
import { createDispatcher, createEngine, type Dispatcher } from '../../server/domain/transfers/engine.ts'
import { startTransfersWorld, type TransfersWorld } from '../setup/transfersWorld.ts'

let world: TransfersWorld
let count = 0
/** Stands for a process: its own leases, engine and dispatcher. */
const processes: { dispatcher: Dispatcher; end(): Promise<void> }[] = []

beforeAll(async () => {
  world = await startTransfersWorld({ chunkBytes: 10_000 })
})
afterEach(async () => {
  world.cloud.fault = null
  for (const { end } of processes.splice(0)) await end()
})
afterAll(() => world?.close())

function startProcess(more: Partial<EngineDeps> = {}) {
  const deps = { ...world.engineDeps(), ...more }
  const engine = createEngine(deps)
  const dispatcher = createDispatcher({
    ...deps,
    engine,
    pollMs: { due: 50, running: 50 },
  })
  dispatcher.start()
  const started = {
    dispatcher,
    async end() {
      await dispatcher.stop()
      await deps.leases.close()
    },
  }
  processes.push(started)
  return started
}

async function given(files = 1, size = 100_000) {
  count += 1
  const name = `Account ${count}`
  const pool = await world.groupCloud([await world.account(name)])
  const received = []
  for (let index = 0; index < files; index += 1) {
    const content = randomBytes(size)
    received.push({ ...(await world.receive(pool, content)), content })
  }
  const ids = received.flatMap(({ transferIds }) => transferIds)
  return { name, received, ids, id: ids[0] ?? '' }
}
const states = async (ids: readonly string[]) =>
  (await world.service.getMany(world.viewer, ids)).map((transfer) => transfer?.state)
const inState = async (ids: readonly string[], state: string) =>
  (await states(ids)).filter((each) => each === state).length
/** Calls of this account never answer. */
const silence = (name: string) => {
  world.cloud.fault = (operation, _ref, subject) =>
    operation === 'put' && subject === name ? { kind: 'silent' } : null
  world.clock.hold()
}

it('runs all that is due, each once, in however many processes', async () => {
  const { ids, name, received } = await given(20, 5_000)
  startProcess()
  startProcess()
  await expect.poll(() => inState(ids, 'DONE')).toBe(20)
  expect(world.names(name)).toHaveLength(20)
  expect(world.cloud.accounts.get(name)?.receivedBytes).toBe(100_000)
  for (const { fileId, content } of received) expect((await world.read(fileId)).equals(content)).toBe(true)
})

it('an account that does not answer keeps only its own transfers waiting', async () => {
  const stuck = await given(10)
  const other = await given(3)
  silence(stuck.name)
  startProcess()
  await expect.poll(() => inState(other.ids, 'DONE')).toBe(3)
  expect(await inState(stuck.ids, 'RUNNING')).toBe(4)
  world.clock.letGo()
})

it('pausing and cancelling stop a runner of another process within seconds', async () => {
  const { ids, name } = await given(2)
  const [paused = '', cancelled = ''] = ids
  silence(name)
  const { dispatcher } = startProcess()
  await expect.poll(() => inState(ids, 'RUNNING')).toBe(2)
  await world.service.pause(world.viewer, paused)
  await world.service.cancel(world.viewer, cancelled)
  await expect.poll(() => dispatcher.running).toBe(0)
  expect(await states(ids)).toEqual(['PAUSED', 'CANCELLED'])
  world.cloud.fault = null
  world.clock.letGo()
  await world.service.resume(world.viewer, paused)
  await expect.poll(() => inState([paused], 'DONE')).toBe(1)
})

it('a shutdown ends it in good order, and the next start sends only the rest', async () => {
  const { id, name } = await given(1)
  const account = world.cloud.accounts.get(name)
  const first = startProcess()
  world.cloud.fault = (operation, _ref, subject) =>
    operation === 'put' && subject === name ? { kind: 'refused', code: 'Transient', afterBytes: 50_000 } : null
  await expect.poll(() => account?.receivedBytes ?? 0).toBeGreaterThan(0)
  await first.end()
  world.cloud.fault = null
  expect(await inState([id], 'WAITING')).toBe(1)
  await world.pool.query('update transfers set next_try_at = null where id = $1', [id])
  startProcess()
  await expect.poll(() => inState([id], 'DONE')).toBe(1)
  expect(account?.receivedBytes).toBeLessThanOrEqual(110_000)
})

it('what a killed process was running goes on in another one', async () => {
  const { id } = await given(1)
  await world.pool.query(`update transfers set state = 'RUNNING', started_at = now() where id = $1`, [id])
  startProcess()
  await expect.poll(() => inState([id], 'DONE')).toBe(1)
})

it('what waits is tried again by the clock of the server that made it wait, whatever that of the database says', async () => {
  const { id, name } = await given(1)
  let skew = 3_600_000
  const clock = { ...world.clock, now: () => Date.now() + skew }
  world.cloud.fault = (operation, _ref, subject) =>
    operation === 'put' && subject === name ? { kind: 'refused', code: 'Transient' } : null
  startProcess({ clock })
  const tried = async () => {
    const { rows } = await world.pool.query('select attempts, state from transfers where id = $1', [id])
    return rows[0]
  }
  await expect.poll(tried).toEqual({ attempts: 1, state: 'WAITING' })
  world.cloud.fault = null
  skew += 60_000
  await expect.poll(() => inState([id], 'DONE')).toBe(1)
})
