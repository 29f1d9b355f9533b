import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createProgress } from '../../server/domain/transfers/engine.ts'
import { loadWork } from '../../server/domain/transfers/work.ts'
import { startTransfersWorld, type TransfersWorld } from '../setup/transfersWorld.ts'

let world: TransfersWorld
beforeAll(async () => {
  world = await startTransfersWorld()
})
afterAll(() => world.close())

/** A transfer that runs, with one piece on its way. */
async function running() {
  const pool = await world.groupCloud([await world.account(`A ${randomBytes(4).toString('hex')}`)])
  const { transferIds } = await world.receive(pool, randomBytes(1000))
  const [id = ''] = transferIds
  await world.pool.query(`update transfers set state = 'RUNNING' where id = $1`, [id])
  const work = await loadWork(world.pool, id)
  const [piece] = work?.pieces ?? []
  if (!work || !piece) throw new Error('There is nothing to send.')
  return { work, piece }
}

it.each([
  ['pieces first', ['pieces', 'transfers']],
  ['transfers first', ['transfers', 'pieces']],
] as const)('how far it is, is written beside one that locks %s', async (_name, order) => {
  const { work, piece } = await running()
  const progress = createProgress(world.engineDeps(), work, new Map())
  const ids = { pieces: piece.id, transfers: work.id }
  const other = await world.pool.connect()
  try {
    await other.query('begin')
    await other.query(`select from ${order[0]} where id = $1 for update`, [ids[order[0]]])
    progress.report(piece.id, 500)
    const ended = progress.end()
    await sleep(50)
    await other.query(`select from ${order[1]} where id = $1 for update`, [ids[order[1]]])
    await other.query('commit')
    await ended
  } finally {
    other.release()
  }
  expect(world.errors).toEqual([])
  expect((await world.transfer(work.id)).sentBytes).toBe(500)
})
