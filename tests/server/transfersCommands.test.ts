import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ConflictError, NotFoundError } from '../../server/domain/errors.ts'
import { newId } from '../../server/lib/ids.ts'
import { startTransfersWorld, type TransfersWorld } from '../setup/transfersWorld.ts'

let world: TransfersWorld
let count = 0
beforeAll(async () => {
  world = await startTransfersWorld({ chunkBytes: 10_000 })
})
beforeEach(() => {
  world.cloud.fault = null
})
afterAll(() => world?.close())

const SIZE = 100_000

async function given(options: Parameters<TransfersWorld['groupCloud']>[1] = {}) {
  count += 1
  const [a, b] = [`A${count}`, `B${count}`]
  const pool = await world.groupCloud([await world.account(a), await world.account(b)], options)
  const content = randomBytes(SIZE)
  const file = await world.receive(pool, content)
  const [id = '', secondId = ''] = file.transferIds
  return { ...file, pool, content, a, b, id, secondId }
}

/** Lets a put of an account stop in the middle, until it is ended from outside. */
function stall(account: string): void {
  world.cloud.fault = (operation, _ref, subject) =>
    operation === 'put' && subject === account ? { kind: 'refused', code: 'Transient', afterBytes: 40_000 } : null
}
/** So many hours pass; then all that runs once an hour does. */
async function hours(count: number): Promise<void> {
  world.clock.advance(count * 3_600_000 + 1)
  await world.housekeeping.transfers.resumeStopped(new AbortController().signal)
  await world.housekeeping.transfers.reconcileAll(new AbortController().signal)
  await world.settleDown()
}
const state = async (id: string) => (await world.transfer(id)).state

describe('a transfer', () => {
  it('paused keeps what the provider has, and sends the rest when it is resumed', async () => {
    const file = await given()
    stall(file.a)
    await world.run(file.id)
    expect(await world.transfer(file.id)).toMatchObject({ state: 'WAITING', sentBytes: 30_000 })
    world.cloud.fault = null
    const { rows } = await world.pool.query('select session from pieces where session is not null')
    expect(rows).toEqual([{ session: expect.stringMatching(/^v1\./) }])
    expect(await world.service.pause(world.viewer, file.id)).toMatchObject({ state: 'PAUSED' })
    expect(await world.service.pause(world.viewer, file.id)).toMatchObject({ state: 'PAUSED' })
    world.clock.advance(60_000)
    expect(await world.run(file.id)).toBe(false)
    expect(await world.service.resume(world.viewer, file.id)).toMatchObject({ state: 'WAITING' })
    await world.settleDown()
    expect(await state(file.id)).toBe('DONE')
    expect(world.cloud.accounts.get(file.a)?.receivedBytes).toBe(SIZE)
    expect((await world.read(file.fileId)).equals(file.content)).toBe(true)
  })

  it('cancelled leaves nothing at the provider; the file stays here, and is not sent again by itself', async () => {
    const file = await given()
    stall(file.a)
    await world.run(file.id)
    world.cloud.fault = null
    expect(await world.service.cancel(world.viewer, file.id)).toMatchObject({ state: 'CANCELLED', accountIds: [] })
    expect(await world.service.cancel(world.viewer, file.id)).toMatchObject({ state: 'CANCELLED' })
    await world.housekeeping.transfers.reconcile(
      { userId: world.viewer.userId, groupCloudId: file.pool },
      new AbortController().signal,
    )
    await world.settleDown()
    expect(await world.copies(file.fileId)).toEqual([])
    expect(world.cloud.accounts.get(file.a)?.uploads.size).toBe(0)
    expect((await world.read(file.fileId)).equals(file.content)).toBe(true)
    expect(await world.audit()).toEqual([])
  })

  it('cancelled and tried again is planned and sent anew', async () => {
    const file = await given()
    await world.service.cancel(world.viewer, file.id)
    expect(await world.service.retry(world.viewer, file.id)).toMatchObject({ state: 'WAITING' })
    await world.settleDown()
    expect(await state(file.id)).toBe('DONE')
    expect(await world.copies(file.fileId)).toEqual([`STORED: ${file.a}`])
    expect(await world.file(file.fileId)).toMatchObject({ state: 'STORED', stagedRef: null })
    expect(await world.audit()).toEqual([])
  })

  it('cancelled as the second of two frees the staged bytes', async () => {
    const file = await given({ copies: 2 })
    await world.run(file.id)
    expect(await world.hasObject(file.stagedRef)).toBe(true)
    await world.service.cancel(world.viewer, file.secondId)
    expect(await world.hasObject(file.stagedRef)).toBe(false)
    await world.settleDown()
    expect(await world.copies(file.fileId)).toHaveLength(1)
    expect(await world.audit()).toEqual([])
  })

  it('cancelled while it runs in another process leaves nothing either', async () => {
    const file = await given()
    const running = world.run(file.id)
    await expect.poll(() => world.cloud.accounts.get(file.a)?.receivedBytes ?? 0, { interval: 1 }).toBeGreaterThan(0)
    await world.service.cancel(world.viewer, file.id).catch((error: unknown) => {
      // It was quicker.
      expect(error).toBeInstanceOf(ConflictError)
    })
    await running
    await world.settleDown()
    expect(['CANCELLED', 'DONE']).toContain(await state(file.id))
    expect(await world.audit()).toEqual([])
  })

  it('that is over takes no command but the ones for it', async () => {
    const file = await given()
    await world.settleDown()
    for (const command of ['pause', 'resume', 'cancel', 'retry'] as const) {
      await expect(world.service[command](world.viewer, file.id), command).rejects.toThrow(ConflictError)
    }
  })

  it('of somebody else is not there', async () => {
    const file = await given()
    const stranger = { userId: newId(), sessionId: newId() }
    for (const command of ['pause', 'resume', 'cancel', 'retry'] as const) {
      await expect(world.service[command](stranger, file.id), command).rejects.toThrow(NotFoundError)
    }
    expect(await world.service.getMany(stranger, [file.id])).toEqual([null])
    expect(await world.service.list(stranger)).toEqual([])
    await world.settleDown()
  })

  it('that is retried while it still waits is refused; parked goes on at once', async () => {
    const file = await given()
    await expect(world.service.retry(world.viewer, file.id)).rejects.toThrow(ConflictError)
    world.cloud.fault = (operation) => (operation === 'put' ? { kind: 'refused', code: 'ReconnectNeeded' } : null)
    await world.run(file.id)
    expect(await state(file.id)).toBe('PARKED')
    world.cloud.fault = null
    await world.report.whenIdle()
    await world.pool.query(`update accounts set status = 'CONNECTED'`)
    await world.service.retry(world.viewer, file.id)
    await world.settleDown()
    expect(await state(file.id)).toBe('DONE')
  })
})

describe('the list', () => {
  it('holds what is open, and what ended within a day, newest first', async () => {
    const waiting = await given()
    const done = await given()
    await world.run(done.id)
    const ids = async (open?: boolean) =>
      (await world.service.list(world.viewer, { open }))
        .map(({ id }) => id)
        .filter((id) => [waiting.id, done.id].includes(id))
    expect(await ids()).toEqual([done.id, waiting.id])
    expect(await ids(true)).toEqual([waiting.id])
    expect(await ids(false)).toEqual([done.id])
    await world.pool.query(`update transfers set ended_at = ended_at - interval '25 hours' where id = $1`, [done.id])
    expect(await ids()).toEqual([waiting.id])
    await world.settleDown()
  })

  it('tells progress at most four times a second, and the row at most once', async () => {
    const file = await given()
    world.told.length = 0
    await world.run(file.id)
    const steps = world.told.flatMap(({ topic, event }) => (topic === 'transferProgressed' ? [event] : []))
    expect(steps.length).toBeLessThanOrEqual(6)
    expect(steps.at(-1)).toMatchObject({ transferId: file.id, sentBytes: SIZE })
    expect(world.told).toContainEqual({
      topic: 'filesChanged',
      event: { fileIds: [file.fileId], removedIds: [], parentIds: [], truncated: false },
    })
  })
})

// Time only goes forward: these come last.
describe('in time a transfer', () => {
  it('cancelled is told of, and tried again a day later', async () => {
    const file = await given()
    await world.service.cancel(world.viewer, file.id)
    expect(await world.file(file.fileId)).toMatchObject({
      state: 'AT_RISK',
      reason: 'It is on this server alone: its transfer was cancelled, and is tried again after a day.',
    })
    await hours(22)
    expect(await world.copies(file.fileId)).toEqual([])
    await hours(3)
    expect(await world.copies(file.fileId)).toEqual([`STORED: ${file.a}`])
    expect(await world.file(file.fileId)).toMatchObject({ state: 'STORED', reason: null })
    expect(await world.audit()).toEqual([])
  })

  it('that is over is forgotten after a week; one that failed is made anew', async () => {
    const done = await given()
    await world.settleDown()
    const cancelled = await given()
    await world.service.cancel(world.viewer, cancelled.id)
    const failed = await given()
    world.cloud.fault = (operation, _ref, subject) =>
      operation === 'put' && subject === failed.a ? { kind: 'refused', code: 'Permanent' } : null
    await world.run(failed.id)
    expect(await state(failed.id)).toBe('FAILED')
    const left = async () => {
      const ids = [done.id, cancelled.id, failed.id]
      const { rows } = await world.pool.query<{ id: string }>('select id from transfers where id = any($1::uuid[])', [
        ids,
      ])
      return rows.map(({ id }) => ids.indexOf(id)).toSorted()
    }
    await hours(24 * 7 - 2)
    expect(await left()).toEqual([0, 1, 2])
    world.cloud.fault = null
    await hours(3)
    expect(await left()).toEqual([])
    for (const { fileId } of [done, cancelled, failed]) {
      expect(await world.file(fileId)).toMatchObject({ state: 'STORED', stagedRef: null })
    }
    expect(await world.audit()).toEqual([])
  })
})
