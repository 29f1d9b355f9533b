import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createFilesService } from '../../server/domain/files/service.ts'
import { lockMembers } from '../../server/domain/groupClouds/members.ts'
import { newId } from '../../server/lib/ids.ts'
import { startTransfersWorld, type TransfersWorld } from '../setup/transfersWorld.ts'

let world: TransfersWorld
beforeAll(async () => {
  world = await startTransfersWorld()
})
afterAll(() => world.close())

const LATE_MS = 3_000

it(
  'the end of a transfer does not wait for accounts that it does not touch',
  async () => {
    const pool = await world.groupCloud([await world.account('A')])
    const { fileId, transferIds } = await world.receive(pool, randomBytes(1000))
    const here = await world.groupCloud([world.localId])
    const other = await world.pool.connect()
    try {
      await other.query('begin')
      await lockMembers(other, [here])
      await world.run(transferIds[0] ?? '')
      await other.query('rollback')
    } finally {
      other.release(true)
    }
    expect(await world.file(fileId)).toEqual({ state: 'STORED', reason: null, stagedRef: null })
  },
  LATE_MS,
)

it.each(['cancelled', 'deleted with its file'])('what was begun on this server goes when it is %s', async (how) => {
  const pool = await world.groupCloud([world.localId])
  const { fileId, stagedRef, transferIds } = await world.receive(pool, randomBytes(1000))
  const [begun, { rows }] = [
    newId(),
    await world.pool.query('select p.id from pieces p join transfers t using (copy_id)'),
  ]
  const writer = await world.store.stage(begun, 0)
  await writer.write(randomBytes(1000))
  await writer.sync()
  await writer.close()
  await world.store.publish(begun)
  const { encryption } = world.engineDeps()
  for (const { id } of rows) {
    const text = JSON.stringify({ name: 'a', session: begun })
    await world.pool.query(`update pieces set session = $2 where id = $1 and state = 'PLANNED'`, [
      id,
      encryption.encrypt(text, `pieces:${id}`),
    ])
  }
  if (how === 'cancelled') await world.service.cancel(world.viewer, transferIds[0] ?? '')
  else await createFilesService(world).remove(world.viewer, [fileId])
  await world.runJobs()
  expect(await world.store.size(begun)).toBeNull()
  expect(await world.hasObject(stagedRef)).toBe(how === 'cancelled')
})
