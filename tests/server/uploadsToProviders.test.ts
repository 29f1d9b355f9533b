import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createDb, type Db } from '../../server/db/client.ts'
import { createFilesService } from '../../server/domain/files/service.ts'
import type { GroupCloudsService } from '../../server/domain/groupClouds/contract.ts'
import { createGroupCloudsService } from '../../server/domain/groupClouds/service.ts'
import type { UploadsService } from '../../server/domain/uploads/contract.ts'
import { createUploads } from '../../server/domain/uploads/service.ts'
import { MIB, startTransfersWorld, type TransfersWorld } from '../setup/transfersWorld.ts'

/**
 * From the last byte of an upload to accounts at providers and back. Everything in between is real except the clock.
 */
let world: TransfersWorld
let db: Db
let uploads: UploadsService
let groupClouds: GroupCloudsService

beforeEach(async () => {
  world = await startTransfersWorld()
  const { pool, store, events, enqueue, openDriver, contents } = world
  db = createDb(pool)
  const files = createFilesService({ pool, events, enqueue, contents })
  const answering = {
    getFile: files.get,
    getCopies: files.copies,
    onError: (error: unknown) => world.errors.push(error),
  }
  uploads = createUploads({
    pool,
    leases: pool,
    alone: true,
    store,
    events,
    enqueue,
    openDriver,
    anyType: true,
    ...answering,
  }).service
  groupClouds = createGroupCloudsService({ db, pool, events, enqueue })
})
afterEach(async () => {
  await db.$disconnect()
  await world.close()
})

const receive = (bytes: Buffer, groupCloudId: string) =>
  uploads.receive(world.viewer, { name: 'a.bin', size: bytes.length, groupCloudId }, Readable.from([bytes]))

it('a file that spans three accounts comes back, and every byte is accounted for', async () => {
  const ids = [
    await world.account('A', 15 * MIB),
    await world.account('B', 15 * MIB),
    await world.account('C', 15 * MIB),
  ]
  const groupCloudId = await world.groupCloud(ids)
  const bytes = randomBytes(30 * MIB)
  const file = await receive(bytes, groupCloudId)
  expect(file).toMatchObject({ state: 'RECEIVED', copies: [{ pieces: { length: 4 } }] })
  await world.settleDown()
  expect(await world.file(file.id)).toEqual({ state: 'STORED', reason: null, stagedRef: null })
  expect((await world.read(file.id)).equals(bytes)).toBe(true)
  expect(await world.audit()).toEqual([])
})

it('a copy here and one elsewhere are one write each, and the one here stays', async () => {
  const groupCloudId = await world.groupCloud([world.localId, await world.account('A', 10 * MIB)], { copies: 2 })
  const bytes = randomBytes(3 * MIB)
  const file = await receive(bytes, groupCloudId)
  await world.settleDown()
  expect(await world.file(file.id)).toEqual({ state: 'STORED', reason: null, stagedRef: null })
  expect(await world.copies(file.id)).toEqual(['STORED: A', 'STORED: This server'])
  expect((await world.read(file.id)).equals(bytes)).toBe(true)
  expect(await world.audit()).toEqual([])
})

it('what was on this server alone moves to a provider when it is drained, and reads from there', async () => {
  const groupCloudId = await world.groupCloud([world.localId])
  const bytes = randomBytes(2.5 * MIB)
  const file = await receive(bytes, groupCloudId)
  expect(file.state).toBe('STORED')
  const accountId = await world.account('A', 10 * MIB)
  await groupClouds.update(world.viewer, groupCloudId, { accountIds: [world.localId, accountId] })
  await groupClouds.drain(world.viewer, groupCloudId, world.localId, true)
  await world.settleDown()
  expect(await world.copies(file.id)).toEqual(['STORED: A'])
  expect((await world.read(file.id)).equals(bytes)).toBe(true)
  const [groupCloud] = await groupClouds.getMany(world.viewer, [groupCloudId])
  expect(groupCloud?.members.map((member) => member.accountId)).toEqual([accountId])
  expect(await world.audit()).toEqual([])
})

it('one copy more is made by repair, one less is removed, and a deleted group cloud gives its files away', async () => {
  const [a, b] = [await world.account('A', 10 * MIB), await world.account('B', 10 * MIB)]
  const groupCloudId = await world.groupCloud([a, b])
  const target = await world.groupCloud([b])
  const bytes = randomBytes(MIB)
  const file = await receive(bytes, groupCloudId)
  await world.settleDown()
  expect(await world.copies(file.id)).toEqual(['STORED: A'])
  await groupClouds.update(world.viewer, groupCloudId, { copies: 2 })
  await world.settleDown()
  expect(await world.copies(file.id)).toEqual(['STORED: A', 'STORED: B'])
  await groupClouds.update(world.viewer, groupCloudId, { copies: 1 })
  await world.settleDown()
  expect(await world.copies(file.id)).toHaveLength(1)
  await groupClouds.remove(world.viewer, groupCloudId, { moveTo: target })
  await world.settleDown()
  expect(await world.copies(file.id)).toEqual(['STORED: B'])
  expect((await world.read(file.id)).equals(bytes)).toBe(true)
  expect(await world.audit()).toEqual([])
})

it('a copy that had no room is made as soon as an account with room joins', async () => {
  const groupCloudId = await world.groupCloud([world.localId, await world.account('Small', 100)], { copies: 2 })
  const file = await receive(randomBytes(1000), groupCloudId)
  expect(file).toMatchObject({
    state: 'AT_RISK',
    stateReason: expect.stringContaining('Small has only 100 Bytes free'),
  })
  await world.settleDown()
  expect((await world.file(file.id)).state).toBe('AT_RISK')
  const [before] = await groupClouds.getMany(world.viewer, [groupCloudId])
  const accountIds = [...(before?.members ?? []).map((member) => member.accountId), await world.account('Large', MIB)]
  await groupClouds.update(world.viewer, groupCloudId, { accountIds })
  await world.settleDown()
  expect(await world.copies(file.id)).toEqual(['STORED: Large', 'STORED: This server'])
  expect(await world.file(file.id)).toEqual({ state: 'STORED', reason: null, stagedRef: null })
})
