import { createHash } from 'node:crypto'
import { PassThrough, Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NameTakenError, NotFoundError, StorageFullError } from '../../server/domain/errors.ts'
import { createBlockSummer } from '../../server/domain/files/content/blockSums.ts'
import type { PlacementRule } from '../../server/domain/groupClouds/contract.ts'
import type { StoredFile, UploadInput } from '../../server/domain/uploads/contract.ts'
import type { Viewer } from '../../server/domain/viewer.ts'
import { newId, publicId } from '../../server/lib/ids.ts'
import { createOwner } from '../factories/files.ts'
import { createUser } from '../factories/user.ts'
import { startUploadsHttp } from '../setup/uploads.ts'

const MB = 1024 ** 2
const TUS = { 'tus-resumable': '1.0.0' }

let http: Awaited<ReturnType<typeof startUploadsHttp>>
beforeAll(async () => {
  http = await startUploadsHttp({ acceptAnyType: true, localQuotaBytes: 1024 ** 3 })
})
afterAll(() => http.close())

type AccountRow = { quota?: number | null; used?: number; status?: string; state?: string }
type Rules = { copies?: number; spanning?: boolean; placement?: PlacementRule }

async function connect(userId: string, name: string, { quota = 1000, used = 0, status, state }: AccountRow = {}) {
  const id = newId()
  const quotaState = state ?? (quota === null ? 'UNLIMITED' : 'KNOWN')
  await http.database.pool.query(
    `insert into accounts (id, user_id, provider, name, status, quota_state, quota_bytes, used_bytes)
     values ($1, $2, 'memory', $3, $4::"AccountStatus", $5::"QuotaState", $6, $7)`,
    [id, userId, name, status ?? 'CONNECTED', quotaState, quota, used],
  )
  return id
}

async function groupCloud(userId: string, accountIds: readonly string[], rules: Rules = {}): Promise<string> {
  const id = newId()
  const { copies = 1, spanning = true, placement = 'MOST_FREE' } = rules
  await http.database.pool.query(
    `insert into group_clouds (id, user_id, name, copies, spanning, placement) values ($1, $2, 'Cloud', $3, $4, $5::"PlacementRule")`,
    [id, userId, copies, spanning, placement],
  )
  for (const [position, accountId] of accountIds.entries()) {
    await http.database.pool.query(
      'insert into group_cloud_members (group_cloud_id, account_id, position) values ($1, $2, $3)',
      [id, accountId, position],
    )
  }
  return id
}

/** A user with accounts of these quotas at a provider, in one group cloud. */
async function world(quotas: readonly (number | null)[], rules: Rules & { withLocal?: boolean } = {}) {
  const { viewer, accountId: localId } = await createOwner(http.database.pool, 1000)
  const ids: string[] = []
  for (const [index, quota] of quotas.entries()) ids.push(await connect(viewer.userId, `M${index + 1}`, { quota }))
  const members = rules.withLocal ? [localId, ...ids] : ids
  return { viewer, localId, ids, groupCloudId: await groupCloud(viewer.userId, members, rules) }
}

const text = (length: number) => Buffer.alloc(length, 'All work and no play makes Jack a dull boy.\n')

function receive(viewer: Viewer, bytes: Buffer, input: Partial<UploadInput> = {}, key?: string): Promise<StoredFile> {
  const body = Readable.from(bytes.length === 0 ? [] : [bytes])
  return http.services.uploads.receive(viewer, { name: 'a.txt', size: bytes.length, ...input }, body, key)
}

async function accounts(ids: readonly string[]): Promise<{ used: number; reserved: number }[]> {
  const { rows } = await http.database.pool.query<{ id: string; used: number; reserved: number }>(
    'select id, used_bytes::float8 as used, reserved_bytes::float8 as reserved from accounts where id = any($1::uuid[])',
    [ids],
  )
  return ids.map((id) => {
    const { used = -1, reserved = -1 } = rows.find((row) => row.id === id) ?? {}
    return { used, reserved }
  })
}

/** Reserved bytes by account: planned pieces plus reservations of uploads. */
async function owed(ids: readonly string[]): Promise<number[]> {
  const { rows } = await http.database.pool.query<{ id: string; bytes: number }>(
    `select a.id, (coalesce((select sum(size) from pieces p where p.account_id = a.id and p.state = 'PLANNED'), 0)
       + coalesce((select sum(bytes) from upload_reservations r where r.account_id = a.id), 0))::float8 as bytes
     from accounts a where a.id = any($1::uuid[])`,
    [ids],
  )
  return ids.map((id) => rows.find((row) => row.id === id)?.bytes ?? -1)
}

const rowOf = async (id: string) =>
  (await http.database.pool.query('select state, state_reason, staged_ref from files where id = $1', [id])).rows[0]

async function download(viewer: Viewer, id: string): Promise<Buffer> {
  const { source } = await http.services.files.open(viewer, id)
  return Buffer.concat(source.size === 0 ? [] : await source.read(0, source.size - 1).toArray())
}

describe('a file for an account at a provider', () => {
  it('is received: kept here as a whole, planned there, and readable from the first moment', async () => {
    const { viewer, ids, groupCloudId } = await world([1000, 500])
    const start = http.enqueued.length
    const file = await receive(viewer, text(300), { groupCloudId })
    expect(file).toMatchObject({ state: 'RECEIVED', stateReason: null })
    expect(file.copies).toEqual([
      {
        id: expect.any(String),
        state: 'STORING',
        why: 'memory · M1 (most free space)',
        changedAt: null,
        checkedAt: null,
        pieces: [{ accountId: ids[0], provider: 'memory', index: 0, offset: 0, size: 300, state: 'PLANNED' }],
      },
    ])
    expect(await http.services.files.get(viewer, file.id)).toMatchObject({ state: 'RECEIVED' })
    expect((await http.services.files.copies(viewer, [file.id])).get(file.id)).toEqual(file.copies)
    const { staged_ref: stagedRef } = await rowOf(file.id)
    await expect.poll(() => http.store.stagedSize(stagedRef)).toBeNull()
    expect((await download(viewer, file.id)).equals(text(300))).toBe(true)
    expect(await accounts(ids)).toEqual([
      { used: 0, reserved: 300 },
      { used: 0, reserved: 0 },
    ])
    expect(http.enqueued.slice(start).map(({ name }) => name)).toEqual(['runTransfer', 'hashFiles'])
    const { rows } = await http.database.pool.query(
      'select kind, state, total_bytes from transfers where file_id = $1',
      [file.id],
    )
    expect(rows).toEqual([{ kind: 'STORE', state: 'WAITING', total_bytes: '300' }])
  })

  it('has the sums of its blocks, by one request, by parts and after a restart', async () => {
    const bytes = text(2.5 * MB)
    const summer = createBlockSummer(bytes.length)
    summer.update(bytes)
    const { viewer, groupCloudId } = await world([null])
    const { uploads } = http.services
    const whole = await receive(viewer, bytes, { groupCloudId })
    const unknown = await receive(viewer, bytes, { groupCloudId, size: null })
    const upload = await uploads.create(viewer, { name: 'parts.txt', size: bytes.length, groupCloudId })
    await uploads.append(viewer, upload.id, 0, Readable.from([bytes.subarray(0, 700_001)]))
    const wrong = { algorithm: 'sha1', digest: Buffer.alloc(20) } as const
    await uploads.append(viewer, upload.id, 700_001, Readable.from([text(5)]), wrong).catch(() => undefined)
    const { services } = await http.restart()
    await services.uploads.append(viewer, upload.id, 700_001, Readable.from([bytes.subarray(700_001)]))
    const parts = await services.uploads.finish(viewer, upload.id)
    for (const { id } of [whole, unknown, parts]) {
      const { rows } = await http.database.pool.query('select block_size, sums from block_sums where file_id = $1', [
        id,
      ])
      expect(rows).toEqual([{ block_size: MB, sums: summer.result().sums }])
    }
    expect(parts).toMatchObject({ state: 'RECEIVED', sha256: createHash('sha256').update(bytes).digest('hex') })
  })

  it('is summed again when the first account at a provider joins while it comes', async () => {
    const { viewer, localId, ids } = await world([null])
    const groupCloudId = await groupCloud(viewer.userId, [localId], { copies: 2 })
    const body = new PassThrough()
    const pending = http.services.uploads.receive(viewer, { name: 'a.txt', size: null, groupCloudId }, body)
    body.write(text(10))
    await expect.poll(() => body.readableLength).toBe(0)
    const join = 'insert into group_cloud_members (group_cloud_id, account_id, position) values ($1, $2, 1)'
    await http.database.pool.query(join, [groupCloudId, ids[0]])
    body.end(text(10))
    const file = await pending
    expect(file.copies).toHaveLength(2)
    const { rows } = await http.database.pool.query('select from block_sums where file_id = $1', [file.id])
    expect(rows).toHaveLength(1)
  })

  it('may be empty', async () => {
    const { viewer, groupCloudId } = await world([0])
    expect(await receive(viewer, text(0), { groupCloudId })).toMatchObject({ state: 'RECEIVED', size: 0 })
  })

  it('is not swept away while it is kept here for its transfers', async () => {
    const { viewer, groupCloudId } = await world([1000])
    const file = await receive(viewer, text(20), { groupCloudId })
    // The state after a crash between the commit and the move to the final place.
    const ref = newId()
    const writer = await http.store.stage(ref, 0)
    await writer.write(text(20))
    await writer.sync()
    await writer.close()
    await http.database.pool.query('update files set staged_ref = $2 where id = $1', [file.id, ref])
    await http.housekeeping.uploads.sweepStaging(new AbortController().signal)
    expect(await http.store.stagedSize(ref)).toBeNull()
    expect((await download(viewer, file.id)).equals(text(20))).toBe(true)
  })
})

describe('copies', () => {
  it('on this server and elsewhere: the one here is stored at once, without a second write', async () => {
    const { viewer, localId, ids, groupCloudId } = await world([900], { copies: 2, withLocal: true })
    const file = await receive(viewer, text(100), { groupCloudId })
    expect(file.state).toBe('RECEIVED')
    expect(file.copies.map(({ state, pieces }) => [state, pieces[0]?.provider, pieces[0]?.state])).toEqual([
      ['STORED', 'local', 'STORED'],
      ['STORING', 'memory', 'PLANNED'],
    ])
    const { rows } = await http.database.pool.query(
      'select p.object_ref from pieces p join copies c on c.id = p.copy_id where c.file_id = $1 and p.account_id = $2',
      [file.id, localId],
    )
    expect((await rowOf(file.id)).staged_ref).toBe(rows[0].object_ref)
    expect(await accounts([localId, ...ids])).toEqual([
      { used: 100, reserved: 0 },
      { used: 0, reserved: 100 },
    ])
  })

  it('are the ones listed, in their order', async () => {
    const { viewer, groupCloudId } = await world([800, 900, 2000], { copies: 3, withLocal: true })
    const file = await receive(viewer, text(100), { groupCloudId })
    const listed = (await http.services.files.copies(viewer, [file.id])).get(file.id) ?? []
    const byId = new Map(listed.map((copy) => [copy.id, copy]))
    expect(file.copies.map(({ id }) => byId.get(id))).toEqual(file.copies)
    expect(file.copies.map(({ pieces }) => pieces[0]?.provider)).toEqual(['memory', 'local', 'memory'])
  })

  it('that have no room are said, and settled later', async () => {
    const { viewer, ids, groupCloudId } = await world([1000, 50], { copies: 2 })
    const start = http.enqueued.length
    const file = await receive(viewer, text(100), { groupCloudId })
    expect(file).toMatchObject({ state: 'RECEIVED', copies: [{ pieces: [{ accountId: ids[0] }] }] })
    expect(http.enqueued.slice(start)).toContainEqual({
      name: 'settleFiles',
      input: { userId: viewer.userId, fileIds: [file.id] },
    })
  })

  it('of which the only one with room is here, leave the file at risk', async () => {
    const { viewer, groupCloudId } = await world([50], { copies: 2, withLocal: true })
    const start = http.enqueued.length
    const file = await receive(viewer, text(100), { groupCloudId })
    const stateReason = 'There is room for 1 of 2 copies: memory · M1 has only 50 Bytes free.'
    expect(file).toMatchObject({ state: 'AT_RISK', stateReason, copies: [{ state: 'STORED' }] })
    expect(await rowOf(file.id)).toEqual({ state: 'AT_RISK', state_reason: stateReason, staged_ref: null })
    expect(http.enqueued.slice(start).flatMap(({ name }) => (name === 'readTexts' ? [] : name))).toEqual([
      'settleFiles',
    ])
  })

  it('take turns', async () => {
    const { viewer, ids, groupCloudId } = await world([1000, 1000, 1000], { placement: 'ROUND_ROBIN' })
    const turns: (string | undefined)[] = []
    for (let index = 0; index < 4; index += 1) {
      const file = await receive(viewer, text(10), { groupCloudId })
      turns.push(file.copies[0]?.pieces[0]?.accountId)
    }
    expect(turns).toEqual([ids[0], ids[1], ids[2], ids[0]])
    const many = await Promise.all(Array.from({ length: 9 }, () => receive(viewer, text(10), { groupCloudId })))
    const counts = ids.map((id) => many.filter(({ copies }) => copies[0]?.pieces[0]?.accountId === id).length)
    // Ids of the same millisecond have no order from which the next turn could follow.
    expect(Math.min(...counts)).toBeGreaterThan(0)
  })
})

describe('spanning', () => {
  it('cuts a file that no account can hold, and shows its pieces', async () => {
    const { viewer, ids, groupCloudId } = await world([10 * MB, 10 * MB])
    const file = await receive(viewer, text(18 * MB), { groupCloudId })
    expect(file.copies).toHaveLength(1)
    expect(file.copies[0]?.why).toBe('In 3 pieces over memory · M1 and memory · M2: no single account has room')
    expect(file.copies[0]?.pieces.map(({ size }) => size).reduce((sum, size) => sum + size, 0)).toBe(18 * MB)
    const listed = (await http.services.files.copies(viewer, [file.id])).get(file.id)
    expect(listed).toEqual(file.copies)
    expect(await owed(ids)).toEqual((await accounts(ids)).map(({ reserved }) => reserved))
    await expect(receive(viewer, text(3 * MB), { groupCloudId })).rejects.toThrow(StorageFullError)
  })

  it('takes chunked bodies up to all that is free, and refuses more while they come', async () => {
    const { viewer, groupCloudId } = await world([600, 600])
    const file = await receive(viewer, text(1100), { groupCloudId, size: null })
    expect(file.copies[0]?.pieces.length).toBe(2)
    const refused = await receive(viewer, text(101), { groupCloudId, size: null }).catch((error: unknown) => error)
    expect(refused).toMatchObject({ neededBytes: 101, freeBytes: 100 })
  })
})

describe('room', () => {
  it('is refused with the sizes and the reason of every account', async () => {
    const { viewer, ids } = await world([1000])
    const gone = await connect(viewer.userId, 'Gone', { status: 'EXPIRED' })
    const groupCloudId = await groupCloud(viewer.userId, [...ids, gone])
    const refused = await receive(viewer, text(1001), { groupCloudId }).catch((error: unknown) => error)
    expect(refused).toMatchObject({
      neededBytes: 1001,
      freeBytes: 1000,
      message:
        'There is no room for 1001 Bytes: memory · M1 has only 1000 Bytes free; memory · Gone needs to be connected again.',
    })
  })

  it('is not asked of accounts without a known limit', async () => {
    const { viewer } = await world([])
    const unknown = await connect(viewer.userId, 'Unknown', { quota: null, state: 'UNKNOWN' })
    const groupCloudId = await groupCloud(viewer.userId, [unknown])
    expect((await receive(viewer, text(5000), { groupCloudId })).copies[0]?.why).toContain('Unknown')
  })

  it('is nowhere in a group cloud without accounts', async () => {
    const { viewer } = await world([])
    const groupCloudId = await groupCloud(viewer.userId, [])
    for (const attempt of [
      receive(viewer, text(1), { groupCloudId }),
      http.services.uploads.create(viewer, { name: 'a.txt', size: 1, groupCloudId }),
    ]) {
      await expect(attempt).rejects.toThrow('This group cloud has no accounts. Please add one to it first.')
    }
  })

  it('is looked for again when the accounts have gone while the bytes came', async () => {
    const { viewer, groupCloudId } = await world([1000])
    const body = new PassThrough()
    const pending = http.services.uploads.receive(viewer, { name: 'a.txt', size: null, groupCloudId }, body)
    body.write(text(10))
    await expect.poll(() => body.readableLength).toBe(0)
    await http.database.pool.query('delete from group_cloud_members where group_cloud_id = $1', [groupCloudId])
    body.end()
    await expect(pending).rejects.toThrow(NotFoundError)
    await expect.poll(() => http.store.listStaged()).toEqual([])
  })
})

describe('reservations', () => {
  const start = (viewer: Viewer, groupCloudId: string, size: number, more: Partial<UploadInput> = {}) =>
    http.services.uploads.create(viewer, { name: 'a.txt', ...more, size, groupCloudId })
  const send = async (viewer: Viewer, id: string, size: number) => {
    await http.services.uploads.append(viewer, id, 0, Readable.from([text(size)]))
    return http.services.uploads.finish(viewer, id)
  }
  const expectTrue = async (ids: readonly string[]) =>
    expect(await owed(ids)).toEqual((await accounts(ids)).map(({ reserved }) => reserved))

  it('hold every copy and every piece, and become planned bytes', async () => {
    const { viewer, ids, groupCloudId } = await world([600, 600, 600], { copies: 2, spanning: true })
    const { id } = await start(viewer, groupCloudId, 500)
    expect((await accounts(ids)).map(({ reserved }) => reserved)).toEqual([500, 500, 0])
    await expectTrue(ids)
    const file = await send(viewer, id, 500)
    expect(file).toMatchObject({ state: 'RECEIVED' })
    expect((await accounts(ids)).map(({ reserved }) => reserved)).toEqual([500, 500, 0])
    await expectTrue(ids)
    expect(await http.services.uploads.finish(viewer, id)).toMatchObject({ id: file.id, state: 'RECEIVED' })
    await http.services.uploads.remove(viewer, id)
    await expectTrue(ids)
  })

  it('are made anew with their own bytes released: the last free byte is enough', async () => {
    const { viewer, ids, groupCloudId } = await world([10 * MB, 10 * MB])
    const { id } = await start(viewer, groupCloudId, 20 * MB)
    await http.services.uploads.append(viewer, id, 0, Readable.from([text(20 * MB)]))
    expect(await http.services.uploads.finish(viewer, id)).toMatchObject({ size: 20 * MB })
    expect((await accounts(ids)).map(({ reserved }) => reserved)).toEqual([10 * MB, 10 * MB])
  })

  it('move to another account when theirs is lost or has left meanwhile', async () => {
    const { viewer, ids, groupCloudId } = await world([1000, 900])
    const [expired, left] = [await start(viewer, groupCloudId, 100), await start(viewer, groupCloudId, 100)]
    expect((await accounts(ids)).map(({ reserved }) => reserved)).toEqual([200, 0])
    await http.database.pool.query(`update accounts set status = 'EXPIRED' where id = $1`, [ids[0]])
    await send(viewer, expired.id, 100)
    await http.database.pool.query('delete from group_cloud_members where account_id = $1', [ids[0]])
    await send(viewer, left.id, 100)
    expect((await accounts(ids)).map(({ reserved }) => reserved)).toEqual([0, 200])
    await expectTrue(ids)
  })

  it('are free again after removal, expiry and refusal', async () => {
    const { viewer, ids, groupCloudId } = await world([1000, 1000], { copies: 2 })
    const [removed, expired, refused] = [
      await start(viewer, groupCloudId, 100),
      await start(viewer, groupCloudId, 200),
      await start(viewer, groupCloudId, 300, { onConflict: 'FAIL' }),
    ]
    expect((await accounts(ids)).map(({ reserved }) => reserved)).toEqual([600, 600])
    await http.services.uploads.remove(viewer, removed.id)
    await http.database.pool.query(`update uploads set expires_at = now() - interval '1 second' where id = $1`, [
      expired.id,
    ])
    await http.housekeeping.uploads.expire(new AbortController().signal)
    expect((await accounts(ids)).map(({ reserved }) => reserved)).toEqual([300, 300])
    await receive(viewer, text(1), { groupCloudId })
    await expect(send(viewer, refused.id, 300)).rejects.toThrow(NameTakenError)
    expect((await accounts(ids)).map(({ reserved }) => reserved)).toEqual([301, 301])
    await http.services.uploads.remove(viewer, refused.id)
    expect((await accounts(ids)).map(({ reserved }) => reserved)).toEqual([1, 1])
    await expectTrue(ids)
  })

  it('plan once for one key and once for what replaces', async () => {
    const { viewer, ids, groupCloudId } = await world([1000])
    const files = await Promise.all(
      Array.from({ length: 5 }, () => receive(viewer, text(100), { groupCloudId }, 'key')),
    )
    expect(new Set(files.map(({ id }) => id)).size).toBe(1)
    for (const { copies, state } of files) expect([copies.length, state]).toEqual([1, 'RECEIVED'])
    const next = await receive(viewer, text(50), { groupCloudId, onConflict: 'REPLACE' })
    expect(next).toMatchObject({ name: 'a.txt', copies: [{ state: 'STORING' }] })
    expect((await accounts(ids)).map(({ reserved }) => reserved)).toEqual([150])
    await expectTrue(ids)
  })
})

describe('20 at once into 60 % of what they need', () => {
  async function contest(send: (index: number, groupCloudId: string, token: string) => Promise<number>, rules: Rules) {
    const ada = await createUser(http.services.users)
    const ids = await Promise.all(['A', 'B', 'C'].map((name) => connect(ada.viewer.userId, name, { quota: 400 })))
    const id = publicId('GroupCloud', await groupCloud(ada.viewer.userId, ids, rules))
    const statuses = await Promise.all(Array.from({ length: 20 }, (_, index) => send(index, id, ada.token)))
    const all = await accounts(ids)
    for (const { used, reserved } of all) expect(used + reserved).toBeLessThanOrEqual(400)
    expect(await owed(ids)).toEqual(all.map(({ reserved }) => reserved))
    return { statuses, total: all.reduce((sum, { reserved }) => sum + reserved, 0) }
  }

  const rest = async (index: number, groupCloudId: string, token: string): Promise<number> => {
    const body = new FormData()
    body.set('groupCloudId', groupCloudId)
    body.set('file', new File([text(100)], `${index}.txt`))
    const headers = { origin: http.url, cookie: `sid=${token}` }
    return (await fetch(`${http.url}/api/v1/files`, { method: 'POST', headers, body })).status
  }

  const tus = async (index: number, groupCloudId: string, token: string): Promise<number> => {
    const base64 = (value: string) => Buffer.from(value).toString('base64')
    const metadata = `filename ${base64(`${index}.txt`)},groupCloudId ${base64(groupCloudId)}`
    const own = { ...TUS, origin: http.url, cookie: `sid=${token}` }
    const created = await fetch(`${http.url}/api/v1/uploads`, {
      method: 'POST',
      headers: { ...own, 'upload-length': '100', 'upload-metadata': metadata },
    })
    if (created.status !== 201) return created.status
    const bytes = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }
    const location = new URL(created.headers.get('location') ?? '', http.url)
    const body = new Uint8Array(text(100))
    return (await fetch(location, { method: 'PATCH', headers: { ...own, ...bytes }, body })).status
  }

  it.each([
    ['REST', rest, 201],
    ['tus', tus, 204],
  ] as const)('by %s, nothing is overcommitted and nothing is wasted', async (_name, send, done) => {
    const { statuses, total } = await contest(send, { spanning: false })
    expect(statuses.toSorted()).toEqual([...Array(12).fill(done), ...Array(8).fill(507)].toSorted())
    expect(total).toBe(1200)
  })

  it.each([
    ['REST', rest],
    ['tus', tus],
  ] as const)('by %s with two copies, no account holds more than it can', async (_name, send) => {
    const { statuses } = await contest(send, { copies: 2 })
    expect(statuses.filter((status) => status === 507).length).toBeGreaterThanOrEqual(8)
    expect(statuses.filter((status) => status < 300).length).toBeGreaterThanOrEqual(6)
  })
})

describe('while members change', () => {
  it('uploads go on, and nobody waits for each other for ever', async () => {
    const { viewer, localId, ids, groupCloudId } = await world([null, null, null], { copies: 2, withLocal: true })
    const { groupClouds, uploads } = http.services
    const [a, b, c] = ids as [string, string, string]
    const orders = [
      [c, b, a, localId],
      [a, localId, b, c],
      [localId, c, a, b],
    ]
    const changes = async () => {
      for (const accountIds of orders) {
        await groupClouds.update(viewer, groupCloudId, { accountIds, keepFreeBytes: { [a]: 1, [c]: 2 } })
        await groupClouds.drain(viewer, groupCloudId, b, true)
        await groupClouds.create(viewer, { name: newId(), accountIds: accountIds.toReversed() })
        await groupClouds.drain(viewer, groupCloudId, b, false)
      }
    }
    const byParts = async () => {
      const { id } = await uploads.create(viewer, { name: 'parts.txt', size: 5, groupCloudId })
      await uploads.append(viewer, id, 0, Readable.from([text(5)]))
      return uploads.finish(viewer, id)
    }
    const sending = Array.from({ length: 40 }, async (_, index) => {
      for (let round = 0; round < 4; round += 1) {
        await (index % 2 ? byParts() : receive(viewer, text(5), { groupCloudId }))
      }
    })
    await Promise.all([changes(), ...sending])
    const all = await accounts([localId, ...ids])
    expect(all.reduce((sum, { used, reserved }) => sum + used + reserved, 0)).toBe(40 * 4 * 5 * 2)
    expect(await owed(ids)).toEqual(all.slice(1).map(({ reserved }) => reserved))
  })
})
