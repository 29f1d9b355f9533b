import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createQuotas } from '../../server/domain/accounts/quotas.ts'
import { createGroupCloudsService } from '../../server/domain/groupClouds/service.ts'
import { startTransfersWorld, type TransfersWorld } from '../setup/transfersWorld.ts'

let world: TransfersWorld
let count = 0
const fresh = (word: string) => `${word} ${++count}`

beforeAll(async () => {
  world = await startTransfersWorld()
})
beforeEach(() => {
  world.cloud.fault = null
  world.errors.length = 0
})
afterAll(() => world?.close())

/** What the probe does for one account. */
async function ask(accountId: string): Promise<void> {
  const { openDriver } = world.engineDeps()
  const { pool, events, enqueue, report: health } = world
  await createQuotas({ pool, events, enqueue, health, openDriver }).refresh(accountId, 6_000)
}

/** Puts at an account from now on. */
function countPuts(subject: string): { calls: number } {
  const seen = { calls: 0 }
  world.cloud.fault = (operation, _ref, account) => {
    if (operation === 'put' && account === subject) seen.calls += 1
    return null
  }
  return seen
}

const wake = () => world.housekeeping.transfers.resumeStopped(new AbortController().signal)
const settle = (scope: { accountId?: string; groupCloudId?: string }) =>
  world.housekeeping.transfers.reconcile({ userId: world.viewer.userId, ...scope }, new AbortController().signal)

/** A file that was planned on one account of 10,000 bytes, which turned out to be full. */
async function parkedForRoom() {
  const name = fresh('Only')
  const accountId = await world.account(name, 10_000)
  const pool = await world.groupCloud([accountId])
  const file = await world.receive(pool, randomBytes(1000))
  const [id = ''] = file.transferIds
  world.cloud.setQuota(name, 10)
  await world.run(id)
  expect(await world.transfer(id)).toMatchObject({
    state: 'PARKED',
    error: expect.stringContaining(`“${name}” is full`),
  })
  return { ...file, id, name, accountId, pool }
}

const isStored = { state: 'STORED', reason: null, stagedRef: null }

describe('a transfer that waits for room', () => {
  it('goes on as soon as its account is known to have room again', async () => {
    const { fileId, id, name, accountId } = await parkedForRoom()
    await ask(accountId)
    await world.settleDown()
    expect(await world.transfer(id)).toMatchObject({ state: 'PARKED', error: expect.stringContaining('full') })
    world.cloud.setQuota(name, 10_000)
    await ask(accountId)
    await world.settleDown()
    expect(await world.transfer(id)).toMatchObject({ state: 'DONE', error: null })
    expect(await world.file(fileId)).toEqual(isStored)
  })

  it('goes on within a minute when nobody has told of the room, and its file says so', async () => {
    const { fileId, id, name, accountId } = await parkedForRoom()
    world.cloud.setQuota(name, 20_000)
    await world.pool.query('update accounts set quota_bytes = 20000 where id = $1', [accountId])
    await wake()
    expect(await world.transfer(id)).toMatchObject({ state: 'WAITING', error: null })
    expect(await world.file(fileId)).toMatchObject({ state: 'STORING', reason: null })
    await world.settleDown()
    expect(await world.file(fileId)).toEqual(isStored)
  })

  it('is not tried again while nothing has changed', async () => {
    const { id, name } = await parkedForRoom()
    const puts = countPuts(name)
    for (let minute = 0; minute < 5; minute += 1) {
      world.clock.advance(60_000)
      await wake()
      await world.settleDown()
    }
    expect(puts.calls).toBe(0)
    expect(await world.transfer(id)).toMatchObject({ state: 'PARKED' })
  })

  it('takes only the room that there is: of three that wait, two go on where two have room', async () => {
    const name = fresh('Only')
    const accountId = await world.account(name, 10_000)
    const pool = await world.groupCloud([accountId])
    const files = []
    for (let index = 0; index < 3; index += 1) files.push(await world.receive(pool, randomBytes(1000)))
    world.cloud.setQuota(name, 10)
    for (const { transferIds } of files) await world.run(transferIds[0] ?? '')
    await world.pool.query('update accounts set quota_bytes = 2500 where id = $1', [accountId])
    world.cloud.setQuota(name, 2_500)
    await wake()
    await world.settleDown()
    const states = await Promise.all(
      files.map(async ({ transferIds }) => (await world.transfer(transferIds[0] ?? '')).state),
    )
    expect(states).toEqual(['DONE', 'DONE', 'PARKED'])
  })

  it('goes on when another account joins, and when less is to be kept free', async () => {
    const groupClouds = createGroupCloudsService(world)
    const joined = await parkedForRoom()
    const other = await world.account(fresh('Other'), 10_000)
    await groupClouds.update(world.viewer, joined.pool, { accountIds: [joined.accountId, other] })
    await world.settleDown()
    expect(await world.file(joined.fileId)).toEqual(isStored)

    const kept = await parkedForRoom()
    const spare = await world.account(fresh('Spare'), 10_000)
    await world.pool.query(
      'insert into group_cloud_members (group_cloud_id, account_id, position, keep_free_bytes) values ($1, $2, 9, 9999)',
      [kept.pool, spare],
    )
    await wake()
    expect((await world.transfer(kept.id)).error).toContain('has only 1 Byte')
    await groupClouds.update(world.viewer, kept.pool, { keepFreeBytes: { [spare]: 0 } })
    await world.settleDown()
    expect(await world.file(kept.fileId)).toEqual(isStored)
  })

  it('says what is true now of the room that there is', async () => {
    const { id, fileId, pool, name } = await parkedForRoom()
    const other = fresh('Other')
    const otherId = await world.account(other, 700)
    await world.pool.query(
      'insert into group_cloud_members (group_cloud_id, account_id, position) values ($1, $2, 9)',
      [pool, otherId],
    )
    await wake()
    const words = `“${name}” is full. There is no room for 1000 Bytes: ${other} has only 700 Bytes free.`
    expect((await world.transfer(id)).error).toBe(words)
    expect((await world.file(fileId)).reason).toContain(words)
    await world.pool.query('update accounts set quota_bytes = 600 where id = $1', [otherId])
    await wake()
    expect((await world.transfer(id)).error).toContain(`${other} has only 600 Bytes free`)
  })
})

describe('a transfer that waits for an account', () => {
  it('goes on when the account that was disconnected is connected again', async () => {
    const name = fresh('Only')
    const accountId = await world.account(name, 10_000)
    const file = await world.receive(await world.groupCloud([accountId]), randomBytes(1000))
    const [id = ''] = file.transferIds
    await world.pool.query('update accounts set disconnected_at = now() where id = $1', [accountId])
    await world.run(id)
    expect(await world.transfer(id)).toMatchObject({
      state: 'PARKED',
      error: expect.stringContaining(`“${name}” was disconnected`),
    })
    await world.pool.query('update accounts set disconnected_at = null where id = $1', [accountId])
    await settle({ accountId })
    await world.settleDown()
    expect(await world.file(file.fileId)).toEqual(isStored)
  })

  it('goes on when the account is back, even after it was given up', async () => {
    const name = fresh('Only')
    const accountId = await world.account(name, 10_000)
    const file = await world.receive(await world.groupCloud([accountId]), randomBytes(1000))
    const [id = ''] = file.transferIds
    world.cloud.fault = (_operation, _ref, subject) =>
      subject === name ? { kind: 'refused', code: 'Transient' } : null
    for (let attempt = 0; attempt < 25; attempt += 1) {
      await world.run(id)
      world.clock.advance(60_000)
    }
    expect(await world.transfer(id)).toMatchObject({ state: 'FAILED' })
    world.cloud.fault = null
    await wake()
    expect(await world.transfer(id)).toMatchObject({ state: 'FAILED' })
    world.report.worked(accountId)
    await world.settleDown()
    expect(await world.file(file.fileId)).toEqual(isStored)
  })
})

describe('a transfer that waits for something to read', () => {
  async function repairing() {
    const names = [fresh('A'), fresh('B'), fresh('C')]
    const ids = await Promise.all(names.map((name) => world.account(name, 10_000)))
    const pool = await world.groupCloud(ids, { copies: 2 })
    const file = await world.receive(pool, randomBytes(1000))
    await world.settleDown()
    await world.pool.query(`update accounts set status = 'EXPIRED' where id = $1`, [ids[1]])
    await settle({ accountId: ids[1] ?? '' })
    const [id = ''] = await world.due()
    return { ...file, id, names, ids }
  }

  it('goes on when the account that holds it is back, and says until then what is true of it', async () => {
    const { fileId, id, ids, names } = await repairing()
    await world.pool.query(`update accounts set status = 'EXPIRED' where id = $1`, [ids[0]])
    await world.run(id)
    expect((await world.transfer(id)).error).toContain(`“${names[0]}” needs to be connected again`)
    await world.pool.query(`update accounts set status = 'CONNECTED', unreachable_since = now() where id = $1`, [
      ids[0],
    ])
    await wake()
    expect(await world.transfer(id)).toMatchObject({
      state: 'PARKED',
      error: expect.stringContaining(`“${names[0]}” cannot be reached`),
    })
    await world.pool.query('update accounts set unreachable_since = null where id = $1', [ids[0]])
    world.clock.advance(50_000)
    await settle({ accountId: ids[0] ?? '' })
    await world.settleDown()
    expect(await world.transfer(id)).toMatchObject({ state: 'DONE' })
    expect(await world.copies(fileId)).toContain(`STORED: ${names[2]}`)
  })

  it('waits as long as that account asks', async () => {
    const { id, names } = await repairing()
    world.cloud.fault = (operation, _ref, subject) =>
      operation === 'get' && subject === names[0]
        ? { kind: 'refused', code: 'RateLimited', retryAfterMs: 120_000, attempts: 1 }
        : null
    await world.run(id)
    const waiting = await world.transfer(id)
    expect(waiting).toMatchObject({ state: 'WAITING', error: expect.stringContaining('asks to wait until') })
    expect(Number(waiting.nextTryAt) - world.clock.now()).toBeGreaterThan(100_000)
    world.cloud.fault = null
    world.clock.advance(121_000)
    await world.settleDown()
    expect(await world.transfer(id)).toMatchObject({ state: 'DONE' })
  })
})

it('a file that lacks a copy for want of room gets it as soon as there is some', async () => {
  const [a, b] = [fresh('A'), fresh('B')]
  const ids = [await world.account(a, 10_000), await world.account(b, 500)]
  world.cloud.setQuota(b, 500)
  const file = await world.receive(await world.groupCloud(ids, { copies: 2 }), randomBytes(1000))
  await world.settleDown()
  expect(await world.file(file.fileId)).toMatchObject({ state: 'AT_RISK' })
  world.cloud.setQuota(b, 10_000)
  await ask(ids[1] ?? '')
  await world.settleDown()
  expect(await world.file(file.fileId)).toEqual(isStored)
})

describe('the quota of an account', () => {
  it('counts an object that is being sent once, although its provider counts it already', async () => {
    const name = fresh('Sending')
    const accountId = await world.account(name, 10_000)
    const [id = ''] = (await world.receive(await world.groupCloud([accountId]), randomBytes(1000))).transferIds
    const quota = async () => {
      const { rows } = await world.pool.query(
        'select used_bytes::int as used, reserved_bytes::int as reserved from accounts where id = $1',
        [accountId],
      )
      return rows[0]
    }
    await world.pool.query(`update transfers set state = 'RUNNING' where id = $1`, [id])
    world.cloud.setUsedByOthers(name, 1000)
    await ask(accountId)
    expect(await quota()).toEqual({ used: 0, reserved: 1000 })
    world.cloud.setUsedByOthers(name, 1300)
    await ask(accountId)
    expect(await quota()).toEqual({ used: 300, reserved: 1000 })
    world.cloud.setUsedByOthers(name, 100)
    await ask(accountId)
    expect(await quota()).toEqual({ used: 100, reserved: 1000 })

    await world.pool.query(`update transfers set state = 'WAITING' where id = $1`, [id])
    world.cloud.setUsedByOthers(name, 1000)
    await ask(accountId)
    expect(await quota()).toEqual({ used: 1000, reserved: 1000 })
  })
})
