import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createFilesService } from '../../server/domain/files/service.ts'
import { startTransfersWorld, type TransfersWorld } from '../setup/transfersWorld.ts'

let world: TransfersWorld
let count = 0
beforeAll(async () => {
  world = await startTransfersWorld()
})
beforeEach(() => {
  world.cloud.fault = null
})
afterAll(() => world?.close())

const SIZE = 50_000

/** Accounts A, B, C of one group cloud, the file stored there. */
async function given(options: Parameters<TransfersWorld['groupCloud']>[1] = {}, accounts = 3) {
  count += 1
  const names = ['A', 'B', 'C'].slice(0, accounts).map((letter) => `${letter}${count}`)
  const ids: string[] = []
  for (const name of names) ids.push(await world.account(name, 10 * SIZE))
  const pool = await world.groupCloud(ids, options)
  const content = randomBytes(SIZE)
  const file = await world.receive(pool, content)
  await world.settleDown()
  const [a = '', b = '', c = ''] = names
  const [aId = '', bId = '', cId = ''] = ids
  return { ...file, pool, content, a, b, c, aId, bId, cId }
}

async function settle(scope: { accountId?: string; groupCloudId?: string; fileIds?: string[] }) {
  const input = { userId: world.viewer.userId, ...scope }
  await world.housekeeping.transfers.reconcile(input, new AbortController().signal)
  await world.settleDown()
}

const lose = (id: string) => world.pool.query(`update accounts set status = 'EXPIRED' where id = $1`, [id])
const heal = (id: string) => world.pool.query(`update accounts set status = 'CONNECTED' where id = $1`, [id])
const rule = (pool: string, copies: number) =>
  world.pool.query('update group_clouds set copies = $2 where id = $1', [pool, copies])
const state = async (fileId: string) => (await world.file(fileId)).state

async function expectReadable({ fileId, content }: { fileId: string; content: Buffer }) {
  expect((await world.read(fileId)).equals(content)).toBe(true)
  await world.runJobs()
  expect(await world.audit()).toEqual([])
}

describe('settling', () => {
  it('makes more copies when more are asked for, and removes the newest when fewer are', async () => {
    const file = await given()
    expect(await world.copies(file.fileId)).toEqual([`STORED: ${file.a}`])
    await rule(file.pool, 2)
    await settle({ groupCloudId: file.pool })
    expect(await world.copies(file.fileId)).toEqual([`STORED: ${file.a}`, `STORED: ${file.b}`])
    expect(await state(file.fileId)).toBe('STORED')
    await rule(file.pool, 1)
    await settle({ groupCloudId: file.pool })
    expect(await world.copies(file.fileId)).toEqual([`STORED: ${file.a}`])
    await expectReadable(file)
    expect(world.names(file.b)).toEqual([])
  })

  it('repairs a copy that was lost, and removes the repair when the account is back', async () => {
    const file = await given({ copies: 2 })
    await lose(file.bId)
    await settle({ accountId: file.bId })
    expect(await world.copies(file.fileId)).toEqual([`STORED: ${file.a}`, `STORED: ${file.b}`, `STORED: ${file.c}`])
    const repaired = (await world.service.list(world.viewer)).find(({ fileId }) => fileId === file.fileId)
    expect(repaired).toMatchObject({ kind: 'REPAIR', state: 'DONE' })
    expect(await state(file.fileId)).toBe('STORED')
    await heal(file.bId)
    await settle({ accountId: file.bId })
    expect(await world.copies(file.fileId)).toEqual([`STORED: ${file.a}`, `STORED: ${file.b}`])
    await expectReadable(file)
  })

  it('removes the copy that was begun for a lost account which is back before the others are stored', async () => {
    const stuck = ['B', 'C']
    world.cloud.fault = (operation, _ref, subject) =>
      operation === 'put' && stuck.includes(subject.slice(0, 1)) ? { kind: 'refused', code: 'Transient' } : null
    const file = await given({ copies: 2 })
    await lose(file.aId)
    await settle({ accountId: file.aId })
    await heal(file.aId)
    await settle({ accountId: file.aId })
    expect(await world.copies(file.fileId)).toEqual([`STORED: ${file.a}`, `STORING: ${file.b}`, `STORING: ${file.c}`])
    world.cloud.fault = null
    world.clock.advance(600_000)
    await world.settleDown()
    expect(await world.copies(file.fileId)).toEqual([`STORED: ${file.a}`, `STORED: ${file.b}`])
    await expectReadable(file)
  })

  it('repairs by itself once there is room', async () => {
    const file = await given({ copies: 2 }, 2)
    await lose(file.bId)
    await settle({ accountId: file.bId })
    expect(await world.file(file.fileId)).toMatchObject({ state: 'AT_RISK' })
    const name = `D${count}`
    const added = await world.account(name)
    await world.pool.query(
      'insert into group_cloud_members (group_cloud_id, account_id, position) values ($1, $2, 9)',
      [file.pool, added],
    )
    await settle({ groupCloudId: file.pool })
    expect(await state(file.fileId)).toBe('STORED')
    expect(await world.copies(file.fileId)).toContain(`STORED: ${name}`)
    await expectReadable(file)
  })

  it('finds what an account held that was lost without a word, once an hour', async () => {
    const file = await given({ copies: 2 })
    await world.pool.query('update accounts set unreachable_since = now(), updated_at = now() where id = $1', [
      file.aId,
    ])
    expect(await state(file.fileId)).toBe('STORED')
    await world.housekeeping.transfers.reconcileAll(new AbortController().signal)
    await world.runJobs()
    expect(await state(file.fileId)).toBe('AT_RISK')
    await world.settleDown()
    expect(await world.copies(file.fileId)).toContain(`STORED: ${file.c}`)
  })

  it('does without a copy on an account that was disconnected a month ago, where there are others', async () => {
    const file = await given({ copies: 2 })
    await world.pool.query('update accounts set disconnected_at = now() where id = $1', [file.bId])
    await world.pool.query('delete from group_cloud_members where account_id = $1', [file.bId])
    await settle({ accountId: file.bId })
    expect(await world.copies(file.fileId)).toHaveLength(3)
    await world.pool.query(`update accounts set disconnected_at = now() - interval '30 days' where id = $1`, [file.bId])
    world.clock.advance(1_000)
    await world.housekeeping.transfers.reconcileAll(new AbortController().signal)
    await world.settleDown()
    expect(await world.copies(file.fileId)).toEqual([`STORED: ${file.a}`, `STORED: ${file.c}`])
    const { rowCount } = await world.pool.query('select from pieces where account_id = $1', [file.bId])
    expect(rowCount).toBe(0)
    // Nobody can be asked to remove it there.
    for (const { kind, ref } of world.cloud.objects(file.b)) if (kind === 'file') world.cloud.tree(file.b).remove(ref)
  })

  it('finds room that nobody told of, once an hour', async () => {
    const file = await given({ copies: 2 }, 2)
    const full = await world.pool.query('update accounts set quota_bytes = used_bytes where id = $1 returning id', [
      file.bId,
    ])
    expect(full.rowCount).toBe(1)
    const another = await world.receive(file.pool, randomBytes(100))
    await world.settleDown()
    expect(await state(another.fileId)).toBe('AT_RISK')
    await world.pool.query('update accounts set quota_bytes = quota_bytes + 1000 where id = $1', [file.bId])
    await world.housekeeping.transfers.reconcileAll(new AbortController().signal)
    await world.settleDown()
    expect(await world.file(another.fileId)).toMatchObject({ state: 'STORED', reason: null })
  })

  it('empties a draining member, which leaves when nothing is left on it', async () => {
    const file = await given()
    await world.pool.query('update group_cloud_members set draining = true where account_id = $1', [file.aId])
    await settle({ groupCloudId: file.pool })
    expect(await world.copies(file.fileId)).toEqual([`STORED: ${file.b}`])
    const { rows } = await world.pool.query('select account_id from group_cloud_members where group_cloud_id = $1', [
      file.pool,
    ])
    expect(rows.map((row) => row.account_id)).not.toContain(file.aId)
    expect(world.told).toContainEqual({ topic: 'accountsChanged', event: { accountIds: [file.aId] } })
    await expectReadable(file)
    expect(world.names(file.a)).toEqual([])
  })

  it('keeps a draining member that nobody can take over from', async () => {
    const file = await given({}, 1)
    await world.pool.query('update group_cloud_members set draining = true where account_id = $1', [file.aId])
    await settle({ groupCloudId: file.pool })
    expect(await world.copies(file.fileId)).toEqual([`STORED: ${file.a}`])
    const { rowCount } = await world.pool.query('select from group_cloud_members where account_id = $1', [file.aId])
    expect(rowCount).toBe(1)
  })

  it('moves a file to another group cloud: copied, verified, then removed', async () => {
    const file = await given()
    const other = `Other ${count}`
    const target = await world.groupCloud([await world.account(other)])
    await world.pool.query('update files set group_cloud_id = $2 where id = $1', [file.fileId, target])
    const during: string[][] = []
    world.cloud.fault = (operation, _ref, subject) => {
      if (operation === 'put' && subject === other) void world.copies(file.fileId).then((all) => during.push(all))
      return null
    }
    await settle({ fileIds: [file.fileId] })
    expect(during[0]).toEqual([`STORED: ${file.a}`, `STORING: ${other}`])
    expect(await world.copies(file.fileId)).toEqual([`STORED: ${other}`])
    await expectReadable(file)
    expect(world.names(file.a)).toEqual([])
  })

  it('replaces a copy that is gone for good from another one', async () => {
    const file = await given({ copies: 2 })
    const lost = await world.pool.query(
      `update copies set state = 'MISSING' where file_id = $1 and id in (
         select p.copy_id from pieces p where p.account_id = $2) returning id`,
      [file.fileId, file.aId],
    )
    expect(lost.rowCount).toBe(1)
    await settle({ fileIds: [file.fileId] })
    expect(await state(file.fileId)).toBe('STORED')
    expect((await world.copies(file.fileId)).filter((copy) => copy.startsWith('STORED'))).toHaveLength(2)
    expect((await world.copies(file.fileId)).filter((copy) => copy.startsWith('MISSING'))).toHaveLength(0)
    await expectReadable(file)
  })

  it('repairs a file whose move was cancelled once, and moves it when that is asked for again', async () => {
    const file = await given()
    const other = await world.groupCloud([await world.account(`Other ${file.a}`)])
    const files = createFilesService(world)
    const third = await world.groupCloud([file.aId, file.bId], { copies: 2 })
    const move = (groupCloudId: string) => files.moveToGroupCloud(world.viewer, [file.fileId], groupCloudId)
    await move(other)
    await world.runJobs()
    const [transfer] = await world.service.list(world.viewer, { open: true })
    await world.service.cancel(world.viewer, transfer?.id ?? '')
    await settle({ fileIds: [file.fileId] })
    expect(await world.copies(file.fileId)).toEqual([`STORED: ${file.a}`])
    await move(third)
    await world.settleDown()
    expect(await world.copies(file.fileId)).toEqual([`STORED: ${file.a}`, `STORED: ${file.b}`])
    await move(other)
    await world.settleDown()
    expect(await world.copies(file.fileId)).toEqual([`STORED: Other ${file.a}`])
    await expectReadable(file)
  })

  it('never drops the last copy that can be read', async () => {
    const file = await given({ copies: 2 })
    await rule(file.pool, 1)
    await lose(file.aId)
    await settle({ groupCloudId: file.pool })
    expect(await world.copies(file.fileId)).toEqual([`STORED: ${file.a}`, `STORED: ${file.b}`])
    await heal(file.aId)
    await settle({ groupCloudId: file.pool })
    expect(await world.copies(file.fileId)).toHaveLength(1)
    await expectReadable(file)
  })

  it('goes through a group cloud in batches, each of which can be repeated', async () => {
    const file = await given()
    for (let index = 0; index < 210; index += 1) await world.receive(file.pool, Buffer.from(`small ${index}`))
    await world.settleDown()
    await rule(file.pool, 2)
    await settle({ groupCloudId: file.pool })
    const { rows } = await world.pool.query(
      `select count(*)::int as files, count(*) filter (where n = 2)::int as twice from (
         select f.id, count(c.id) as n from files f join copies c on c.file_id = f.id
         where f.group_cloud_id = $1 and c.state = 'STORED' group by f.id) x`,
      [file.pool],
    )
    expect(rows).toEqual([{ files: 211, twice: 211 }])
    await settle({ groupCloudId: file.pool })
    expect(await world.audit()).toEqual([])
  })
})

describe('the staged bytes', () => {
  it('stay while the only copy is suspect, and are released once it is read correctly', async () => {
    count += 1
    const pool = await world.groupCloud([await world.account(`S${count}`), await world.account(`T${count}`)], {
      copies: 2,
    })
    const content = randomBytes(SIZE)
    const file = await world.receive(pool, content)
    const [first = '', second = ''] = file.transferIds
    await world.run(first)
    await world.pool.query(
      'update copies set suspect_since = now(), suspect_reads = 1 from transfers t where t.id = $1 and copies.id = t.copy_id',
      [first],
    )
    await world.service.cancel(world.viewer, second)
    expect(await world.hasObject(file.stagedRef)).toBe(true)
    expect((await world.read(file.fileId)).equals(content)).toBe(true)
    await world.pool.query('update copies set suspect_since = null, suspect_reads = 0 where file_id = $1', [
      file.fileId,
    ])
    await settle({ fileIds: [file.fileId] })
    expect(await world.hasObject(file.stagedRef)).toBe(false)
    await expectReadable({ ...file, content })
  })
})

describe('a copy on this server', () => {
  it('is stored beside the staged bytes, and removed with them when it is not wanted any more', async () => {
    count += 1
    const name = `Beside ${count}`
    const pool = await world.groupCloud([await world.account(name), world.localId], { copies: 2 })
    const content = randomBytes(SIZE)
    const file = await world.receive(pool, content)
    await world.settleDown()
    expect(await world.copies(file.fileId)).toEqual([`STORED: ${name}`, 'STORED: This server'])
    expect(await world.hasObject(file.stagedRef)).toBe(false)
    await world.pool.query('delete from group_cloud_members where account_id = $1', [world.localId])
    await rule(pool, 1)
    await settle({ groupCloudId: pool })
    expect(await world.copies(file.fileId)).toEqual([`STORED: ${name}`])
    await expectReadable({ ...file, content })
  })
})

describe('an adopted copy on this server', () => {
  it('is never deleted with the staged bytes that it is', async () => {
    count += 1
    const name = `Away ${count}`
    const pool = await world.groupCloud([await world.account(name), world.localId], { copies: 1 })
    const content = randomBytes(SIZE)
    const file = await world.receive(pool, content)
    // As intake leaves it: the local copy is the staged object itself.
    await world.pool.query(
      `with copy as (insert into copies (id, file_id, why) values (gen_random_uuid(), $1, 'Here.') returning id),
       piece as (insert into pieces (id, copy_id, account_id, size, object_ref)
         select gen_random_uuid(), id, $2, $3, $4 from copy)
       update accounts set used_bytes = used_bytes + $3 where id = $2`,
      [file.fileId, world.localId, SIZE, file.stagedRef],
    )
    await rule(pool, 2)
    await world.settleDown()
    expect(await world.file(file.fileId)).toEqual({ state: 'STORED', reason: null, stagedRef: null })
    expect(await world.hasObject(file.stagedRef)).toBe(true)

    await rule(pool, 1)
    await world.pool.query('update group_cloud_members set draining = true where account_id = $1', [world.localId])
    await settle({ groupCloudId: pool })
    expect(await world.copies(file.fileId)).toEqual([`STORED: ${name}`])
    expect(await world.hasObject(file.stagedRef)).toBe(false)
    expect((await world.read(file.fileId)).equals(content)).toBe(true)
    expect(await world.audit()).toEqual([])
  })
})
