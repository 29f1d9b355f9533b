import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLeases } from '../../server/db/leases.ts'
import { createEngine } from '../../server/domain/transfers/engine.ts'
import { createCrash } from '../setup/crashing.ts'
import { startTransfersWorld, type TransfersWorld } from '../setup/transfersWorld.ts'

let world: TransfersWorld
beforeAll(async () => {
  world = await startTransfersWorld({ chunkBytes: 64 * 1024 })
})
afterAll(() => world?.close())

let count = 0

/** A file with two copies, one of them in two pieces. */
async function given() {
  count += 1
  const names = [`Whole ${count}`, `Part one ${count}`, `Part two ${count}`]
  const [whole = '', one = '', two = ''] = names
  const ids = [
    await world.account(whole, 300_000),
    await world.account(one, 120_000),
    await world.account(two, 120_000),
  ]
  const content = randomBytes(200_000)
  const file = await world.receive(await world.groupCloud(ids, { copies: 2 }), content, `photo ${count}.jpg`)
  return { ...file, content, names }
}

/** Runs the file's transfers in a process that dies at a step. @returns whether it lived to the end */
async function runUntil(at: number, when: 'before' | 'after', file: Awaited<ReturnType<typeof given>>) {
  const crash = createCrash(at, when)
  const deps = world.engineDeps()
  const pool = crash.pool(deps.pool)
  const leases = createLeases(world.pool, 'transfer')
  const engine = createEngine({
    ...deps,
    pool,
    leases,
    storage: { delete: (ref) => crash.step(() => deps.storage.delete(ref)) },
    openDriver: async (id) => crash.driver(await deps.openDriver(id)),
    onError: () => {},
    report: { failed: () => {}, worked: () => {} },
  })
  for (const id of file.transferIds) await engine.run(id, new AbortController().signal).catch(() => undefined)
  await leases.close()
  return !crash.died
}

it.each(['before', 'after'] as const)(
  'a runner may die %s any step: the next one finishes, with nothing twice and nothing left over',
  async (when) => {
    let at = 0
    for (let lived = false; !lived; ) {
      at += 1
      const file = await given()
      lived = await runUntil(at, when, file)
      const where = `died ${when} step ${at}`
      for (let round = 0; round < 4; round += 1) {
        await world.settleDown()
        world.clock.advance(400_000)
      }
      await world.pool.query('update object_removals set next_try_at = now()')
      await world.housekeeping.transfers.wake(new AbortController().signal)
      await world.settleDown()
      expect(await world.file(file.fileId), where).toEqual({ state: 'STORED', reason: null, stagedRef: null })
      const [whole = '', ...parts] = file.names
      expect(await world.copies(file.fileId), where).toEqual([`STORED: ${parts.join(', ')}`, `STORED: ${whole}`])
      expect((await world.read(file.fileId)).equals(file.content), where).toBe(true)
      expect(await world.hasObject(file.stagedRef), where).toBe(false)
    }
    expect(at).toBeGreaterThan(40)
    expect(await world.audit()).toEqual([])
  },
  300_000,
)
