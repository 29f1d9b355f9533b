import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLeases } from '../../server/db/locks.ts'
import { createFilesService } from '../../server/domain/files/service.ts'
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

/** A copy of a file that its account has. */
async function givenCopy() {
  count += 1
  const name = `Only ${count}`
  const pool = await world.groupCloud([await world.account(name)])
  const content = randomBytes(200_000)
  const original = await world.receive(pool, content, `original ${count}.jpg`)
  await world.settleDown()
  return { ...(await world.receive(pool, content, `copy ${count}.jpg`, original.fileId)), content, names: [name] }
}

const receivedBytes = (subject: string) => world.cloud.accounts.get(subject)?.receivedBytes ?? 0

/** Runs the file's transfers in a process that dies at a step. @returns whether it lived to the end */
async function runUntil(
  at: number,
  when: 'before' | 'after',
  file: Pick<Awaited<ReturnType<typeof given>>, 'transferIds'>,
) {
  const crash = createCrash(at, when)
  const deps = world.engineDeps()
  const pool = crash.pool(deps.pool)
  const leases = createLeases(world.pool, 'transfer')
  const engine = createEngine({
    ...deps,
    pool,
    leases,
    storage: { ...deps.storage, delete: (ref) => crash.step(() => deps.storage.delete(ref)) },
    openDriver: async (id) => crash.driver(await deps.openDriver(id)),
    onError: () => {},
    report: { failed: () => {}, worked: () => {} },
  })
  for (const id of file.transferIds) await engine.run(id, new AbortController().signal).catch(() => undefined)
  await leases.close()
  return !crash.died
}

/** The process is started again, and all that waits comes to its end. */
async function settle(): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    await world.settleDown()
    world.clock.advance(400_000)
  }
  await world.pool.query('update object_removals set next_try_at = now()')
  await world.housekeeping.transfers.resumeStopped(new AbortController().signal)
  await world.settleDown()
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
      await settle()
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

it.each(['before', 'after'] as const)(
  'the same where the account copies, %s any step: what was copied is found, and its bytes are not sent',
  async (when) => {
    const sent: number[] = []
    let at = 0
    for (let lived = false; !lived; ) {
      at += 1
      const file = await givenCopy()
      const [account = ''] = file.names
      lived = await runUntil(at, when, file)
      const where = `died ${when} step ${at}`
      await settle()
      expect(await world.copies(file.fileId), where).toEqual([`STORED: ${account}`])
      expect((await world.read(file.fileId)).equals(file.content), where).toBe(true)
      expect(world.names(account), where).toEqual([`original ${count}.jpg`, `copy ${count}.jpg`])
      sent.push(receivedBytes(account) / file.content.length)
    }
    // A session that was saved just before the account would have been asked to copy is taken for a begun upload.
    expect(sent.filter((times) => times !== 1)).toEqual(when === 'after' ? [2] : [])
    expect(at).toBeGreaterThan(15)
    expect(await world.audit()).toEqual([])
  },
  300_000,
)

it('a runner may die before any step of such a copy, and the copy be purged: nothing of it stays at the account', async () => {
  const { pool, events, enqueue, contents, viewer } = world
  const files = createFilesService({ pool, events, enqueue, contents })
  const left: string[][] = []
  let lived = false
  for (let at = 1; !lived; at += 1) {
    const file = await givenCopy()
    lived = await runUntil(at, 'before', file)
    left.push(world.names(file.names[0] ?? ''))
    await files.remove(viewer, [file.fileId])
    await settle()
    expect(world.names(file.names[0] ?? ''), `died before step ${at}`).toEqual([`original ${count}.jpg`])
  }
  expect(left.filter((names) => names.length === 2).length).toBeGreaterThan(1)
  expect(await world.audit()).toEqual([])
})
