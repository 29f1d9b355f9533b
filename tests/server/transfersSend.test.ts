import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createFilesService } from '../../server/domain/files/service.ts'
import { createGroupCloudsService } from '../../server/domain/groupClouds/service.ts'
import type { Driver } from '../../server/providers/driver.ts'
import { ROOT } from '../fakes/memory/cloud.ts'
import type { Fault, FaultHook } from '../fakes/memory/faults.ts'
import { MIB, startTransfersWorld, type TransfersWorld } from '../setup/transfersWorld.ts'

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

/** The fault for each of the next calls of an operation, by account; nothing goes wrong afterwards. */
function faults(operation: string, account: string, ...list: Fault[]): FaultHook {
  const left = [...list]
  return (called, _ref, subject) => (called === operation && subject === account ? (left.shift() ?? null) : null)
}
const always =
  (operation: string, account: string, fault: Fault): FaultHook =>
  (called, _ref, subject) =>
    called === operation && subject === account ? fault : null

/** Two accounts in one group cloud, the first one first, and a file for it. */
async function given(size = 100_000, options: Parameters<TransfersWorld['groupCloud']>[1] = {}) {
  const [first, second] = [fresh('First'), fresh('Second')]
  const ids = [await world.account(first), await world.account(second)]
  const content = randomBytes(size)
  const pool = await world.groupCloud(ids, options)
  const name = `${fresh('photo')}.jpg`
  const received = await world.receive(pool, content, name)
  const [transferId = ''] = received.transferIds
  return { ...received, first, second, firstId: ids[0] ?? '', secondId: ids[1] ?? '', content, transferId, name, pool }
}

const unended = (account: string) =>
  [...(world.cloud.accounts.get(account)?.uploads.values() ?? [])].filter(({ stored }) => stored === null).length

/** Accounts from which a test took objects away. */
const forgiven = new Set<string>()
const audit = async () => (await world.audit()).filter((line) => !forgiven.has(line.split(':')[0] ?? ''))

async function expectStored(
  { fileId, stagedRef, content }: { fileId: string; stagedRef: string; content: Buffer },
  copies: readonly string[],
) {
  expect(await world.file(fileId)).toEqual({ state: 'STORED', reason: null, stagedRef: null })
  expect(await world.copies(fileId)).toEqual(copies)
  expect((await world.read(fileId)).equals(content)).toBe(true)
  expect(await world.hasObject(stagedRef)).toBe(false)
  await world.runJobs()
  expect(await audit()).toEqual([])
  expect(world.errors).toEqual([])
}

describe('a copy', () => {
  it('in one piece has the file’s own name; the staged bytes go when it is stored', async () => {
    const file = await given()
    expect(await world.file(file.fileId)).toMatchObject({ state: 'RECEIVED', stagedRef: file.stagedRef })
    await world.run(file.transferId)
    await expectStored(file, [`STORED: ${file.first}`])
    expect(world.names(file.first)).toEqual([file.name])
    expect(await world.transfer(file.transferId)).toMatchObject({ state: 'DONE', sentBytes: 100_000, error: null })
  })

  it('has the hashes of all providers before the staged bytes go, also when the job for them comes later', async () => {
    const file = await given()
    const hashes = async () =>
      (
        await world.pool.query('select sha256, sha1, md5, dropbox, quickxor from content_hashes where file_id = $1', [
          file.fileId,
        ])
      ).rows
    expect(await hashes()).toEqual([])
    await world.run(file.transferId)
    expect(await world.hasObject(file.stagedRef)).toBe(false)
    const [row] = await hashes()
    expect(row.md5).toEqual(createHash('md5').update(file.content).digest())
    expect(row.sha1).toEqual(createHash('sha1').update(file.content).digest())
    expect([row.dropbox.length, row.quickxor.length]).toEqual([32, 20])
  })

  it('of an empty file is stored too', async () => {
    const file = await given(0)
    await world.run(file.transferId)
    expect(await world.file(file.fileId)).toMatchObject({ state: 'STORED', stagedRef: null })
    expect(await audit()).toEqual([])
  })

  it('spans accounts when none has room for all of it', async () => {
    const names = [fresh('A'), fresh('B'), fresh('C')]
    const ids = await Promise.all(names.map((name) => world.account(name, 15 * MIB)))
    const content = randomBytes(30 * MIB)
    const file = await world.receive(await world.groupCloud(ids), content)
    await world.run(file.transferIds[0] ?? '')
    await expectStored({ ...file, content }, [`STORED: ${names.toSorted().join(', ')}`])
    expect(names.flatMap(world.names)).toHaveLength(4)
  })

  it('beside another one keeps the staged bytes until both are stored', async () => {
    const file = await given(100_000, { copies: 2 })
    expect(file.transferIds).toHaveLength(2)
    await world.run(file.transferId)
    expect(await world.file(file.fileId)).toMatchObject({ stagedRef: file.stagedRef })
    await world.settleDown()
    await expectStored(file, [`STORED: ${file.first}`, `STORED: ${file.second}`])
  })

  it('is taken for none that is stored already, nor for one whose removal is noted', async () => {
    const file = await given()
    const driver = world.drivers.get(file.firstId)
    if (!driver) throw new Error('This account has no driver.')
    const answers: (boolean | undefined)[] = []
    world.drivers.set(file.firstId, {
      ...driver,
      async put(call, entry, content, progress) {
        const stored = await driver.put(call, entry, content, progress)
        answers.push(await progress.isTaken?.(stored.ref))
        await world.pool.query(
          'insert into object_removals (id, account_id, object_ref) values (gen_random_uuid(), $1, $2)',
          [file.firstId, stored.ref],
        )
        answers.push(await progress.isTaken?.(stored.ref))
        await world.pool.query('delete from object_removals where account_id = $1', [file.firstId])
        return stored
      },
    })
    await world.run(file.transferId)
    world.drivers.set(file.firstId, driver)
    await expectStored(file, [`STORED: ${file.first}`])
    expect(answers).toEqual([false, true])
  })

  it('is run by one runner at a time, and running it again changes nothing', async () => {
    const file = await given(2 * MIB)
    const runs = await Promise.all([world.run(file.transferId), world.run(file.transferId)])
    expect(runs.toSorted()).toEqual([false, true])
    expect(await world.run(file.transferId)).toBe(false)
    await expectStored(file, [`STORED: ${file.first}`])
    expect(world.names(file.first)).toHaveLength(1)
  })
})

it('a file whose first copy is done while the second one waits is being stored', async () => {
  const { fileId, transferIds } = await given(1000, { copies: 2 })
  await world.run(transferIds[0] ?? '')
  expect(await world.file(fileId)).toMatchObject({ state: 'STORING', reason: null })
  await world.settleDown()
  expect(await world.file(fileId)).toMatchObject({ state: 'STORED' })
})

const sessionsToEnd = async (accountId: string) =>
  (await world.pool.query('select id from object_removals where account_id = $1 and session is not null', [accountId]))
    .rows

describe('what a provider says is not believed', () => {
  it.each<[string, Fault]>([
    ['truncated in silence', { kind: 'truncated', bytes: 10, admitted: false }],
    ['truncated, and said so', { kind: 'truncated', bytes: 10, admitted: true }],
    ['vanished', { kind: 'vanished' }],
  ])('%s: it is sent once more', async (_name, fault) => {
    const file = await given()
    world.cloud.fault = faults('put', file.first, fault)
    await world.run(file.transferId)
    await expectStored(file, [`STORED: ${file.first}`])
    expect(world.names(file.first)).toHaveLength(1)
  })

  it('twice wrong: another account takes it, and nothing is left behind', async () => {
    const file = await given()
    world.cloud.fault = always('put', file.first, { kind: 'truncated', bytes: 10, admitted: false })
    await world.run(file.transferId)
    world.cloud.fault = null
    await expectStored(file, [`STORED: ${file.second}`])
    expect(world.names(file.first)).toEqual([])
    expect((await world.transfer(file.transferId)).why).toContain(`“${file.first}” stored other data than was sent`)
  })

  it('wrong, and the service refuses to delete it: it is deleted later, whatever happens to the file', async () => {
    const file = await given()
    const broken: FaultHook = (called, _ref, subject) => {
      if (subject !== file.first) return null
      if (called === 'put') return { kind: 'truncated', bytes: 10, admitted: false }
      return called === 'delete' || called === 'abandon' ? { kind: 'refused', code: 'Transient' } : null
    }
    world.cloud.fault = broken
    await world.run(file.transferId)
    expect(world.names(file.first)).toHaveLength(1)
    world.cloud.fault = null
    world.clock.advance(60_000)
    await world.settleDown()
    await expectStored(file, [`STORED: ${file.first}`])
    expect(world.names(file.first)).toHaveLength(1)
  })

  it('a session that cannot be ended is ended later', async () => {
    const file = await given()
    const wrong = faults('put', file.first, { kind: 'truncated', bytes: 10, admitted: true })
    const stuck = always('abandon', file.first, { kind: 'refused', code: 'Transient' })
    world.cloud.fault = (...called) => wrong(...called) ?? stuck(...called)
    await world.run(file.transferId)
    expect((await sessionsToEnd(file.firstId)).length).toBe(1)
    world.cloud.fault = null
    await world.pool.query('update object_removals set next_try_at = now()')
    await world.runJobs()
    expect(await sessionsToEnd(file.firstId)).toEqual([])
    await expectStored(file, [`STORED: ${file.first}`])
  })

  it('what arrives after the file was deleted is deleted, too', async () => {
    const file = await given()
    const driver = world.drivers.get(file.firstId) as Driver
    const folder = { parent: ROOT, mimeType: null, kind: 'file' } as const
    const ended: string[] = []
    const late: Driver = {
      ...driver,
      async put(_, { name }, { size }, { save }) {
        await save('begun')
        await createFilesService({ ...world.engineDeps(), contents: world.contents }).remove(world.viewer, [
          file.fileId,
        ])
        await world.runJobs()
        world.cloud.tree(file.first).add({ ...folder, name, bytes: randomBytes(size) })
        await save('complete')
        throw new Error('It is not reached.')
      },
      async abandon(_, session) {
        ended.push(session)
        for (const { ref, kind } of world.cloud.objects(file.first)) {
          if (kind === 'file') world.cloud.tree(file.first).remove(ref)
        }
      },
    }
    world.drivers.set(file.firstId, late)
    await world.run(file.transferId)
    await world.runJobs()
    expect(ended).toEqual(['begun', 'complete'])
    expect(world.names(file.first)).toEqual([])
    world.drivers.set(file.firstId, driver)
  })

  it('a lost reply stores it once', async () => {
    const file = await given()
    world.cloud.fault = faults('put', file.first, { kind: 'lostReply' })
    await world.settleDown()
    world.clock.advance(60_000)
    await world.settleDown()
    await expectStored(file, [`STORED: ${file.first}`])
    expect(world.names(file.first)).toHaveLength(1)
  })
})

describe('an account that does not take it', () => {
  it('because it is full: the rest goes to another member, what is stored stays', async () => {
    const names = [fresh('A'), fresh('B'), fresh('C')]
    const ids = await Promise.all(names.map((name) => world.account(name, 20 * MIB)))
    const content = randomBytes(30 * MIB)
    const pool = await world.groupCloud(ids, { placement: 'MOST_FREE' })
    const [full = ''] = names
    world.cloud.setQuota(full, 9 * MIB)
    const file = await world.receive(pool, content)
    await world.run(file.transferIds[0] ?? '')
    world.cloud.setQuota(full, 20 * MIB)
    expect(await world.file(file.fileId)).toMatchObject({ state: 'STORED', stagedRef: null })
    expect((await world.read(file.fileId)).equals(content)).toBe(true)
    await world.runJobs()
    expect(await audit()).toEqual([])
    expect((await world.transfer(file.transferIds[0] ?? '')).why).toContain(`“${full}” is full`)
  })

  it('and no other has room for a whole piece: the piece is cut over several', async () => {
    const [full, other] = [fresh('Full'), fresh('Other')]
    const pool = await world.groupCloud([await world.account(full, 8 * MIB), await world.account(other, 8 * MIB)])
    const content = randomBytes(14 * MIB)
    const file = await world.receive(pool, content)
    const added = [fresh('Small'), fresh('Small')]
    for (const [position, name] of added.entries()) {
      await world.pool.query(
        'insert into group_cloud_members (group_cloud_id, account_id, position) values ($1, $2, $3)',
        [pool, await world.account(name, 5 * MIB), position + 2],
      )
    }
    world.cloud.setQuota(full, 0)
    await world.run(file.transferIds[0] ?? '')
    world.cloud.setQuota(full, 8 * MIB)
    await expectStored({ ...file, content }, [`STORED: ${[other, ...added].toSorted().join(', ')}`])
    const { rows } = await world.pool.query<{ index: number; offset: string; size: string }>(
      `select p.index, p."offset", p.size from pieces p join copies c on c.id = p.copy_id where c.file_id = $1
       order by p.index`,
      [file.fileId],
    )
    expect(rows.length).toBeGreaterThanOrEqual(3)
    expect(rows.map(({ index }) => index)).toEqual(rows.map((_, index) => index))
    let end = 0
    for (const { offset, size } of rows) {
      expect(Number(offset)).toBe(end)
      end += Number(size)
    }
    expect(end).toBe(content.length)
  })

  it('and no other does: parked with words, and sent when there is room', async () => {
    const only = fresh('Only')
    const file = await world.receive(await world.groupCloud([await world.account(only)]), randomBytes(1000))
    world.cloud.setQuota(only, 10)
    await world.run(file.transferIds[0] ?? '')
    const parked = await world.transfer(file.transferIds[0] ?? '')
    expect(parked).toMatchObject({ state: 'PARKED', error: expect.stringContaining(`“${only}” is full`) })
    expect(await world.file(file.fileId)).toMatchObject({ state: 'AT_RISK', stagedRef: file.stagedRef })
    world.cloud.setQuota(only, 10_000)
    world.clock.advance(601_000)
    await world.housekeeping.transfers.resumeStopped(new AbortController().signal)
    await world.settleDown()
    expect(await world.file(file.fileId)).toMatchObject({ state: 'STORED', stagedRef: null })
  })

  it('because it is too large, and no other does: parked for a day, and sent when another account can take it', async () => {
    const only = fresh('Only')
    const pool = await world.groupCloud([await world.account(only)])
    const file = await world.receive(pool, randomBytes(1000))
    const [id = ''] = file.transferIds
    world.cloud.fault = always('put', only, { kind: 'refused', code: 'TooLarge' })
    await world.run(id)
    const words = expect.stringContaining(`“${only}” does not accept files of this size`)
    const parked = await world.transfer(id)
    expect(parked).toMatchObject({ state: 'PARKED', error: words })
    expect(Number(parked.nextTryAt) - world.clock.now()).toBeGreaterThan(86_000_000)
    expect(await world.file(file.fileId)).toMatchObject({ state: 'AT_RISK', reason: words })
    world.clock.advance(3_600_000)
    await world.housekeeping.transfers.resumeStopped(new AbortController().signal)
    expect(await world.transfer(id)).toMatchObject({ state: 'PARKED' })
    const other = fresh('Other')
    const groupClouds = createGroupCloudsService(world)
    const [members] = await groupClouds.getMany(world.viewer, [pool])
    const accountIds = [...(members?.members ?? []).map(({ accountId }) => accountId), await world.account(other)]
    await groupClouds.update(world.viewer, pool, { accountIds })
    await world.settleDown()
    expect(await world.copies(file.fileId)).toEqual([`STORED: ${other}`])
    expect(await world.file(file.fileId)).toMatchObject({ state: 'STORED', stagedRef: null })
  })

  it('for now, by its rules: another member does', async () => {
    const file = await given()
    world.cloud.fault = always('put', file.first, { kind: 'refused', code: 'Forbidden' })
    await world.run(file.transferId)
    world.cloud.fault = null
    await expectStored(file, [`STORED: ${file.second}`])
  })

  it('because it asks to wait: it alone waits, until then and not longer', async () => {
    const slow = await given()
    const other = await given()
    world.cloud.fault = faults('put', slow.first, { kind: 'refused', code: 'RateLimited', retryAfterMs: 90_000 })
    await world.settleDown()
    await expectStored(other, [`STORED: ${other.first}`])
    const waiting = await world.transfer(slow.transferId)
    expect(waiting).toMatchObject({ state: 'WAITING', error: `“${slow.first}” asked Skypool to wait.` })
    expect(await world.run(slow.transferId)).toBe(false)
    world.clock.advance(91_000)
    await world.settleDown()
    await expectStored(slow, [`STORED: ${slow.first}`])
  })

  it('because its name is not allowed: it has an opaque one', async () => {
    const file = await given()
    world.cloud.fault = faults('put', file.first, { kind: 'refused', code: 'BadName' })
    await world.run(file.transferId)
    await expectStored(file, [`STORED: ${file.first}`])
    expect(world.names(file.first)[0]).toMatch(/^[0-9a-f-]{36}\.0$/)
  })

  it('because our folder is gone: it is made again', async () => {
    const file = await given()
    const next = await world.receive(file.pool, file.content)
    await world.run(file.transferId)
    const driver = world.drivers.get(file.firstId)
    const home = world.cloud.objects(file.first).find(({ name }) => name === 'Skypool')
    const call = { signal: new AbortController().signal, requestId: 'test' }
    if (home) await driver?.delete(call, home.ref)
    await world.run(next.transferIds[0] ?? '')
    expect(await world.file(next.fileId)).toMatchObject({ state: 'STORED' })
    forgiven.add(file.first)
  })

  it('because our folder is gone, and does not end the upload at once: it is ended before the file is sent', async () => {
    const file = await given()
    const gone = faults('put', file.first, { kind: 'refused', code: 'NotFound', afterBytes: 1000 })
    const stuck = faults('abandon', file.first, { kind: 'refused', code: 'Transient' })
    world.cloud.fault = (...called) => gone(...called) ?? stuck(...called)
    await world.settleDown()
    expect(unended(file.first)).toBe(1)
    world.clock.advance(60_000)
    await world.settleDown()
    await expectStored(file, [`STORED: ${file.first}`])
    expect(unended(file.first)).toBe(0)
  })

  it('for a reason that nobody can mend: failed with the words, and tried again when asked', async () => {
    const file = await given()
    world.cloud.fault = always('put', file.first, { kind: 'refused', code: 'Misconfigured' })
    await world.run(file.transferId)
    expect(await world.transfer(file.transferId)).toMatchObject({ state: 'FAILED', endedAt: expect.any(Date) })
    expect(await world.file(file.fileId)).toMatchObject({ state: 'AT_RISK', stagedRef: file.stagedRef })
    world.cloud.fault = null
    await world.service.retry(world.viewer, file.transferId)
    await world.settleDown()
    await expectStored(file, [`STORED: ${file.first}`])
  })
})

describe('an account that is lost meanwhile', () => {
  it('expired: parked; after a reconnect only what was not finished is sent', async () => {
    const names = [fresh('A'), fresh('B')]
    const ids = await Promise.all(names.map((name) => world.account(name, 20 * MIB)))
    const content = randomBytes(30 * MIB)
    const file = await world.receive(await world.groupCloud(ids), content)
    const [transferId = ''] = file.transferIds
    const [, second = ''] = names
    world.cloud.fault = always('put', second, { kind: 'refused', code: 'ReconnectNeeded' })
    await world.run(transferId)
    await world.report.whenIdle()
    expect(await world.transfer(transferId)).toMatchObject({
      state: 'PARKED',
      error: `Please connect “${second}” again; then this continues by itself.`,
    })
    expect((await world.transfer(transferId)).sentBytes).toBeGreaterThanOrEqual(16 * MIB)
    const sentBefore = world.cloud.accounts.get(names[0] ?? '')?.receivedBytes
    expect(sentBefore).toBeGreaterThan(0)
    await world.settleDown()
    expect(await world.transfer(transferId)).toMatchObject({ state: 'PARKED' })

    world.cloud.fault = null
    await world.pool.query(`update accounts set status = 'CONNECTED', status_reason = null where id = $1`, [ids[1]])
    await world.enqueue(world.pool as never, 'settleFiles', { userId: world.viewer.userId, accountId: ids[1] ?? '' })
    await world.settleDown()
    await expectStored({ ...file, content }, [`STORED: ${names.join(', ')}`])
    expect(world.cloud.accounts.get(names[0] ?? '')?.receivedBytes).toBe(sentBefore)
    const received = names.map((name) => world.cloud.accounts.get(name)?.receivedBytes ?? 0)
    expect(received.reduce((sum, bytes) => sum + bytes)).toBe(content.length)
  })

  it('unreachable: tried again for a while, then elsewhere', async () => {
    const file = await given()
    world.cloud.fault = (_operation, _ref, subject) =>
      subject === file.first ? { kind: 'refused', code: 'Transient' } : null
    for (let attempt = 0; attempt < 8; attempt += 1) {
      await world.settleDown()
      world.clock.advance(60_000)
    }
    await expectStored(file, [`STORED: ${file.second}`])
    expect((await world.transfer(file.transferId)).why).toContain(`“${file.first}” cannot be reached`)
  })

  it('unreachable and the only one: failed in the end, with the bytes still here', async () => {
    const only = fresh('Only')
    const file = await world.receive(await world.groupCloud([await world.account(only)]), randomBytes(1000))
    world.cloud.fault = (_operation, _ref, subject) =>
      subject === only ? { kind: 'refused', code: 'Transient' } : null
    for (let attempt = 0; attempt < 25; attempt += 1) {
      await world.settleDown()
      world.clock.advance(400_000)
    }
    expect(await world.transfer(file.transferIds[0] ?? '')).toMatchObject({ state: 'FAILED' })
    expect(await world.hasObject(file.stagedRef)).toBe(true)
  })

  it('disconnected: planned anew on another member', async () => {
    const file = await given()
    await world.pool.query('update accounts set disconnected_at = now() where id = $1', [file.firstId])
    await world.run(file.transferId)
    await expectStored(file, [`STORED: ${file.second}`])
  })
})
