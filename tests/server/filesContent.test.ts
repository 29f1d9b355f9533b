import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ContentUnavailableError } from '../../server/domain/errors.ts'
import type { EntryRef } from '../../server/providers/driver.ts'
import { ProviderError } from '../../server/providers/errors.ts'
import type { ByteSource } from '../../server/storage/byteSource.ts'
import { createFile, createOwner } from '../factories/files.ts'
import { addCopy, connectAccount, createRemoteFile, dealt, type RemotePiece } from '../factories/remoteFiles.ts'
import type { Fault } from '../fakes/memory/faults.ts'
import { type FilesDomain, startFilesDomain } from '../setup/filesDomain.ts'

const MIB = 2 ** 20

let domain: FilesDomain
let owner: Awaited<ReturnType<typeof createOwner>>
let accounts: string[]

beforeAll(async () => {
  domain = await startFilesDomain()
})
beforeEach(async () => {
  domain.cloud.fault = null
  domain.reported.length = 0
  owner = await createOwner(domain.pool)
  accounts = []
  for (const name of ['Drive 1', 'Drive 2', 'Dropbox', 'Drive 4']) {
    accounts.push(await connectAccount(domain, { ...scope(), name }))
  }
})
afterAll(() => domain.close())

const scope = () => ({ userId: owner.viewer.userId, groupCloudId: owner.groupCloudId })
const at = (index: number): string => accounts[index] ?? ''
const whole = (index: number, size: number): RemotePiece[] => [{ accountId: at(index), size }]
const make = (content: Buffer, ...copies: RemotePiece[][]) => createRemoteFile(domain, { ...scope(), content, copies })
const open = async (id: string) => (await domain.files.open(owner.viewer, id)).source

async function read(source: ByteSource, start = 0, end = source.size - 1): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of source.read(start, end) as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Fails the n-th call to each of the given accounts, and all later ones if `lasting`. */
function faultAt(failing: readonly string[], fault: Fault, { after = 0, lasting = true } = {}): { calls: number } {
  const seen = { calls: 0 }
  domain.cloud.fault = (operation, _ref, account) => {
    if (operation !== 'get' || !failing.includes(account)) return null
    seen.calls += 1
    return seen.calls === after + 1 || (lasting && seen.calls > after) ? fault : null
  }
  return seen
}

async function rowOf(id: string) {
  const { rows } = await domain.pool.query(
    `select f.state, f.state_reason, array(select c.state::text from copies c where c.file_id = f.id order by c.created_at, c.id) as copies
     from files f where f.id = $1`,
    [id],
  )
  return rows[0]
}

async function copyAt(fileId: string, index: number): Promise<string> {
  const { rows } = await domain.pool.query<{ id: string }>(
    'select c.id from copies c join pieces p on p.copy_id = c.id where c.file_id = $1 and p.account_id = $2',
    [fileId, at(index)],
  )
  return rows[0]?.id ?? ''
}

describe('a file that providers hold', () => {
  it.each([1, MIB - 1, MIB, MIB + 1, 5 * MIB + 17])('of %d bytes arrives as it was stored', async (size) => {
    const content = randomBytes(size)
    const source = await open(await make(content, whole(0, size)))
    expect(source.size).toBe(size)
    expect((await read(source)).equals(content)).toBe(true)
    expect(domain.reported.some(({ accountId, error }) => accountId === at(0) && error === null)).toBe(true)
  })

  it('empty asks nobody', async () => {
    const asked = faultAt(accounts, { kind: 'refused', code: 'Transient' })
    expect((await read(await open(await make(Buffer.alloc(0), whole(0, 0))), 0, -1)).length).toBe(0)
    expect(asked.calls).toBe(0)
  })

  it('in pieces of any length is the same, whole and by 60 ranges', async () => {
    const size = 23 * MIB + 12_345
    const content = randomBytes(size)
    const uneven = [3 * MIB + 5, 700, 9 * MIB - 1, MIB, 4 * MIB + 77]
    const taken = uneven.reduce((sum, bytes) => sum + bytes, 0)
    const pieces = [...uneven, size - taken].map((bytes, index) => ({ accountId: at(index % 3), size: bytes }))
    const source = await open(await make(content, pieces))
    expect((await read(source)).equals(content)).toBe(true)
    const dice = randomBytes(60 * 8)
    for (let turn = 0; turn < 60; turn += 1) {
      const start = dice.readUInt32LE(turn * 8) % size
      const end = Math.min(size - 1, start + (dice.readUInt32LE(turn * 8 + 4) % (3 * MIB)))
      expect((await read(source, start, end)).equals(content.subarray(start, end + 1))).toBe(true)
    }
  })

  it('is read from this server where it is also here, and while it is staged', async () => {
    const asked = faultAt(accounts, { kind: 'refused', code: 'Permanent' })
    const content = randomBytes(2 * MIB)
    const local = await createFile(domain, { userId: owner.viewer.userId, content })
    const { rows } = await domain.pool.query(
      'select p.object_ref from pieces p join copies c on c.id = p.copy_id where c.file_id = $1',
      [local],
    )
    const stagedRef: string = rows[0].object_ref
    const copies = [[{ accountId: at(0), size: content.length, planned: true }]]
    const staged = await createRemoteFile(domain, { ...scope(), content, copies, stagedRef })
    expect((await read(await open(staged))).equals(content)).toBe(true)
    expect((await read(await open(local))).equals(content)).toBe(true)
    expect(asked.calls).toBe(0)
  })

  it('that was opened while staged is read on from its accounts when the staged bytes have gone', async () => {
    const content = randomBytes(2 * MIB)
    const stagedRef = 'a0000000-0000-7000-8000-000000000000'
    const id = await createRemoteFile(domain, { ...scope(), content, copies: [whole(0, content.length)], stagedRef })
    const source = await open(id)
    await domain.pool.query('update files set staged_ref = null where id = $1', [id])
    expect((await read(source)).equals(content)).toBe(true)
  })
})

describe('an account that fails in the middle', () => {
  const size = 12 * MIB + 3

  it.each(['Transient', 'ReconnectNeeded', 'RateLimited', 'Forbidden', 'NotFound'] as const)(
    'with %s: the next copy goes on, and the reader notices nothing',
    async (code) => {
      const content = randomBytes(size)
      const id = await make(content, whole(0, size), whole(1, size))
      faultAt([at(0)], { kind: 'refused', code, afterBytes: 5 * MIB + 99 })
      expect((await read(await open(id))).equals(content)).toBe(true)
      const failed = domain.reported.find(({ error }) => error !== null)
      expect(failed).toMatchObject({ accountId: at(0), error: { code } })
    },
  )

  it('and is the only one: it is tried again from the byte that was reached', async () => {
    const content = randomBytes(size)
    const id = await make(content, whole(0, size))
    const asked = faultAt([at(0)], { kind: 'refused', code: 'Transient', afterBytes: 5 * MIB }, { lasting: false })
    expect((await read(await open(id))).equals(content)).toBe(true)
    expect(asked.calls).toBe(2)
  })

  it('of three copies two are lost: the third one serves', async () => {
    const content = randomBytes(size)
    const id = await make(content, dealt([at(0), at(1)], size, 2 * MIB), whole(2, size), whole(3, size))
    faultAt([at(1), at(2)], { kind: 'refused', code: 'Transient', afterBytes: MIB })
    expect((await read(await open(id))).equals(content)).toBe(true)
  })

  it('and nothing else is left: the error says which account, and the answer is not complete', async () => {
    const id = await make(randomBytes(size), whole(0, size))
    faultAt([at(0)], { kind: 'refused', code: 'ReconnectNeeded', afterBytes: 5 * MIB })
    await expect(read(await open(id))).rejects.toThrow(
      'This file cannot be read now: “Drive 1” needs to be connected again.',
    )
  })
})

describe('a copy that moves away in the middle', () => {
  it('is read on from where it went', async () => {
    const size = 30 * MIB
    const content = randomBytes(size)
    const id = await make(content, whole(0, size))
    faultAt([at(0)], { kind: 'refused', code: 'Transient', afterBytes: 9 * MIB }, { lasting: false })
    const stream = (await open(id)).read(0, size - 1)
    const chunks: Buffer[] = []
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (chunks.push(chunk) > 1) continue
      await addCopy(domain, id, content, whole(1, size))
      await domain.pool.query(
        'delete from copies where file_id = $1 and id in (select copy_id from pieces where account_id = $2)',
        [id, at(0)],
      )
      for (const { ref } of domain.cloud.objects(at(0))) domain.cloud.tree(at(0)).remove(ref)
    }
    expect(Buffer.concat(chunks).equals(content)).toBe(true)
    expect(await rowOf(id)).toMatchObject({ copies: ['STORED'] })
  })
})

describe('what is known to be lost', () => {
  const lose = (index: number, how: string) =>
    domain.pool.query(`update accounts set ${how} where id = $1`, [at(index)])

  it.each([
    ["status = 'EXPIRED'", '“Drive 1” needs to be connected again'],
    ['disconnected_at = now()', '“Drive 1” was disconnected'],
  ])('%s: is told without asking the provider', async (how, words) => {
    const id = await make(randomBytes(100), whole(0, 100))
    await lose(0, how)
    const asked = faultAt(accounts, { kind: 'refused', code: 'Permanent' })
    const opening = domain.files.open(owner.viewer, id)
    await expect(opening).rejects.toBeInstanceOf(ContentUnavailableError)
    await expect(opening).rejects.toThrow(`This file cannot be read now: ${words}.`)
    expect(asked.calls).toBe(0)
  })

  it('out of reach: is tried once, and read when it is back', async () => {
    const content = randomBytes(MIB)
    const id = await make(content, whole(0, MIB))
    await lose(0, 'unreachable_since = now()')
    const asked = faultAt([at(0)], { kind: 'refused', code: 'Transient' }, { lasting: false })
    await expect(read(await open(id))).rejects.toThrow('“Drive 1” cannot be reached.')
    expect(asked.calls).toBe(1)
    expect((await read(await open(id))).equals(content)).toBe(true)
  })

  it('stands behind what is there', async () => {
    const content = randomBytes(MIB)
    const id = await make(content, whole(0, MIB), whole(1, MIB))
    await lose(0, 'unreachable_since = now()')
    const asked = faultAt([at(0)], { kind: 'silent' })
    expect((await read(await open(id))).equals(content)).toBe(true)
    expect(asked.calls).toBe(0)
  })
})

describe('wrong bytes', () => {
  const size = 3 * MIB
  const faults: [string, Fault][] = [
    ['a flipped bit', { kind: 'flipped', at: 1_500_000 }],
    ['another object', { kind: 'otherObject' }],
    ['a short answer', { kind: 'shortened', bytes: 900_000 }],
    ['the whole object for a range', { kind: 'rangeIgnored' }],
    ['a packed answer', { kind: 'packed' }],
  ]

  it.each(faults)('%s once: is read again', async (_name, fault) => {
    const content = randomBytes(size)
    await make(randomBytes(size), whole(0, size))
    const id = await make(content, whole(0, size))
    faultAt([at(0)], fault, { lasting: false })
    expect((await read(await open(id))).equals(content)).toBe(true)
    expect(await rowOf(id)).toMatchObject({ copies: ['STORED'], state: 'STORED' })
  })

  it.each(faults)('%s always: not one of them reaches the reader, nor of a range', async (_name, fault) => {
    const content = randomBytes(size)
    await make(randomBytes(size), whole(0, size))
    const id = await make(content, whole(0, size))
    faultAt([at(0)], fault)
    const source = await open(id)
    const got: Buffer[] = []
    const reading = async () => {
      for await (const chunk of source.read(0, size - 1) as AsyncIterable<Buffer>) got.push(chunk)
    }
    if (fault.kind === 'rangeIgnored') await reading()
    else await expect(reading()).rejects.toThrow(ContentUnavailableError)
    const bytes = Buffer.concat(got)
    expect(bytes.equals(content.subarray(0, bytes.length))).toBe(true)
  })

  it('of an object that was made shorter from outside: another copy is read, and this one never again', async () => {
    const content = randomBytes(size)
    const id = await make(content, whole(0, size), whole(1, size))
    const { rows } = await domain.pool.query<{ ref: string }>(
      'select p.object_ref as ref from pieces p join copies c on c.id = p.copy_id where c.file_id = $1 and p.account_id = $2',
      [id, at(0)],
    )
    domain.cloud.overwrite(at(0), rows[0]?.ref as EntryRef, Buffer.from('edited'))
    expect((await read(await open(id))).equals(content)).toBe(true)
    expect((await rowOf(id)).copies.toSorted()).toEqual(['MISSING', 'STORED'])
  })

  const suspects = async (fileId: string) => {
    const { rows } = await domain.pool.query<{ reads: number }>(
      `select suspect_reads as reads from copies where file_id = $1 and suspect_since is not null`,
      [fileId],
    )
    return rows
  }
  /** Makes the waiting jobs due. */
  const later = async () => {
    await domain.pool.query(`update graphile_worker._private_jobs set run_at = now()`)
    await domain.runJobs()
  }

  it.each([1, 2, 4])(
    'of the only copy %d times: it is read until it is right, and nothing is held against it',
    async (times) => {
      const content = randomBytes(size)
      const id = await make(content, whole(0, size))
      const asked = { calls: 0 }
      domain.cloud.fault = (operation) => {
        if (operation !== 'get') return null
        asked.calls += 1
        return asked.calls <= times ? { kind: 'flipped', at: 77 } : null
      }
      expect((await read(await open(id))).equals(content)).toBe(true)
      expect(asked.calls).toBe(times + 1)
      expect(await rowOf(id)).toMatchObject({ copies: ['STORED'], state: 'STORED', state_reason: null })
      expect(await suspects(id)).toEqual([])
    },
  )

  it('of the only copy always, though its account says that it is whole: every reader tries it, and the first good read heals it', async () => {
    const content = randomBytes(size)
    const id = await make(content, whole(0, size))
    const flipped = faultAt([at(0)], { kind: 'flipped', at: MIB + 77 })
    for (let readers = 0; readers < 2; readers += 1) {
      await expect(read(await open(id))).rejects.toThrow('“Drive 1” sends other bytes than were stored')
      expect(await rowOf(id)).toMatchObject({ copies: ['STORED'], state: 'STORED', state_reason: null })
    }
    expect(flipped.calls).toBeGreaterThan(4)
    expect(await suspects(id)).toMatchObject([{ reads: 0 }])
    await later()
    expect(await suspects(id)).toMatchObject([{ reads: 1 }])
    expect(await rowOf(id)).toMatchObject({
      copies: ['STORED'],
      state: 'AT_RISK',
      state_reason:
        'Its only copy cannot be read: “Drive 1” sends other bytes than were stored, which is looked at again.',
    })
    await expect(read(await open(id))).rejects.toThrow(ContentUnavailableError)
    domain.cloud.fault = null
    expect((await read(await open(id))).equals(content)).toBe(true)
    expect(await suspects(id)).toEqual([])
    expect(await rowOf(id)).toMatchObject({ copies: ['STORED'], state: 'STORED', state_reason: null })
  })

  it('are looked at again by a job, less and less often, until they are right', async () => {
    const content = randomBytes(size)
    const id = await make(content, whole(0, size))
    faultAt([at(0)], { kind: 'flipped', at: 5 })
    await expect(read(await open(id))).rejects.toThrow(ContentUnavailableError)
    const waits = async () => {
      const { rows } = await domain.pool.query<{ seconds: number }>(
        `select round(extract(epoch from j.run_at - now()))::int as seconds from graphile_worker.jobs j
         join graphile_worker._private_jobs p using (id) join copies c on c.id::text = p.payload ->> 'copyId'
         where j.task_identifier = 'readSuspect' and c.file_id = $1`,
        [id],
      )
      return rows.map(({ seconds }) => seconds)
    }
    for (const seconds of [60, 300, 1_800, 10_800, 10_800]) {
      const [wait] = await waits()
      expect(Math.abs((wait ?? 0) - seconds)).toBeLessThan(5)
      await domain.housekeeping.readSuspect({ copyId: await copyAt(id, 0) }, new AbortController().signal)
    }
    domain.cloud.fault = () => ({ kind: 'refused', code: 'Transient' })
    await domain.housekeeping.readSuspect({ copyId: await copyAt(id, 0) }, new AbortController().signal)
    expect(await suspects(id)).toMatchObject([{ reads: 5 }])
    domain.cloud.fault = null
    await later()
    expect(await waits()).toEqual([])
    expect(await rowOf(id)).toMatchObject({ copies: ['STORED'], state: 'STORED', state_reason: null })
  })

  it('of a copy beside another one: the other one is read meanwhile, and its file says so when they stay', async () => {
    const content = randomBytes(size)
    await domain.pool.query('update group_clouds set copies = 2 where id = $1', [owner.groupCloudId])
    const id = await make(content, whole(0, size), whole(1, size))
    domain.told.length = 0
    const flipped = faultAt([at(0)], { kind: 'flipped', at: 77 })
    for (let readers = 0; readers < 2; readers += 1) {
      expect((await read(await open(id))).equals(content)).toBe(true)
      expect(flipped.calls).toBe(2)
    }
    expect(await rowOf(id)).toMatchObject({ copies: ['STORED', 'STORED'], state: 'STORED' })
    await domain.pool.query(`update graphile_worker._private_jobs set run_at = now()`)
    await domain.housekeeping.readSuspect({ copyId: await copyAt(id, 0) }, new AbortController().signal)
    expect(await rowOf(id)).toMatchObject({
      copies: ['STORED', 'STORED'],
      state: 'AT_RISK',
      state_reason:
        'One of 2 copies cannot be read: “Drive 1” sends other bytes than were stored, which is looked at again.',
    })
    expect(domain.told).toContainEqual({ fileIds: [id], removedIds: [], parentIds: [], truncated: false })
    const { rows } = await domain.pool.query(
      "select payload from graphile_worker.jobs j join graphile_worker._private_jobs p using (id) where j.task_identifier = 'settleFiles'",
    )
    expect(rows).toContainEqual({ payload: { userId: owner.viewer.userId, fileIds: [id] } })
    domain.cloud.fault = null
    await domain.housekeeping.readSuspect({ copyId: await copyAt(id, 0) }, new AbortController().signal)
    expect(await rowOf(id)).toMatchObject({ copies: ['STORED', 'STORED'], state: 'STORED', state_reason: null })
  })

  it.each([
    ['while it is read', false],
    ['while it is suspect', true],
  ])('by its account’s own word, %s: the copy is lost', async (_when, isSuspect) => {
    const content = randomBytes(size)
    const id = await make(content, whole(0, size))
    const hash = `sha256:${createHash('sha256').update(content).digest('hex')}`
    await domain.pool.query('update pieces set hash = $2 where copy_id = $1', [await copyAt(id, 0), hash])
    if (isSuspect) {
      faultAt([at(0)], { kind: 'flipped', at: 5 })
      await expect(read(await open(id))).rejects.toThrow(ContentUnavailableError)
      domain.cloud.fault = null
    }
    const { rows } = await domain.pool.query<{ ref: string }>(
      'select p.object_ref as ref from pieces p join copies c on c.id = p.copy_id where c.file_id = $1',
      [id],
    )
    domain.cloud.overwrite(at(0), rows[0]?.ref as EntryRef, randomBytes(size))
    if (isSuspect) await later()
    else await expect(read(await open(id))).rejects.toThrow(ContentUnavailableError)
    expect(await rowOf(id)).toMatchObject({ copies: ['MISSING'], state: 'AT_RISK' })
    expect(await suspects(id)).toEqual([])
  })

  it('of different blocks in both copies of one: each is read where it is whole', async () => {
    const content = randomBytes(size)
    const id = await make(content, dealt([at(0), at(1)], size, MIB), whole(2, size))
    faultAt([at(1)], { kind: 'flipped', at: 5 })
    expect((await read(await open(id))).equals(content)).toBe(true)
  })
})

describe('an object that its account does not find', () => {
  const nothing: Fault = { kind: 'refused', code: 'NotFound' }
  const seeks = async (fileId: string) => {
    const { rows } = await domain.pool.query<{ at: number; look: number }>(
      `select round(extract(epoch from j.run_at - j.updated_at))::int as at, (p.payload ->> 'look')::int as look
       from graphile_worker.jobs j join graphile_worker._private_jobs p using (id)
       where j.task_identifier = 'seekObject' and p.payload ->> 'pieceId' in (
         select p.id::text from pieces p join copies c on c.id = p.copy_id where c.file_id = $1)`,
      [fileId],
    )
    return rows
  }
  /** Advances time: waiting jobs are due, recorded times are older. */
  async function passes(seconds: number): Promise<void> {
    await domain.pool.query(`update graphile_worker._private_jobs set run_at = run_at - make_interval(secs => $1)`, [
      seconds + 1,
    ])
    await domain.pool.query(`update pieces set missing_since = missing_since - make_interval(secs => $1)`, [
      seconds + 1,
    ])
    await domain.runJobs()
  }
  /** Hides the object from every call, the metadata query included. */
  const hideAll = () => {
    domain.cloud.fault = () => nothing
  }

  it('is unknown for a minute: the only copy is not given up, and read as soon as it is found', async () => {
    const content = randomBytes(MIB)
    const id = await make(content, whole(0, MIB))
    faultAt([at(0)], nothing)
    await expect(read(await open(id))).rejects.toThrow('This file cannot be read now: “Drive 1” does not find it.')
    expect(await rowOf(id)).toMatchObject({ copies: ['STORED'], state: 'STORED' })
    expect(await seeks(id)).toEqual([{ at: 60, look: 0 }])
    domain.cloud.fault = null
    expect((await read(await open(id))).equals(content)).toBe(true)
    await passes(60)
    expect(await rowOf(id)).toMatchObject({ copies: ['STORED'], state: 'STORED' })
    expect(await seeks(id)).toEqual([])
  })

  it('not after a minute either: it is lost, and no longer so when its account has it again', async () => {
    const id = await make(randomBytes(MIB), whole(0, MIB))
    faultAt([at(0)], nothing)
    await expect(read(await open(id))).rejects.toThrow(ContentUnavailableError)
    hideAll()
    await passes(60)
    expect(await rowOf(id)).toMatchObject({
      copies: ['MISSING'],
      state: 'AT_RISK',
      state_reason: 'No copy is left: what “Drive 1” held of it is gone or damaged.',
    })
    expect(await seeks(id)).toEqual([{ at: 300, look: 1 }])
    domain.cloud.fault = null
    await passes(300)
    expect(await rowOf(id)).toMatchObject({ copies: ['STORED'], state: 'STORED', state_reason: null })
    expect(await seeks(id)).toEqual([])
  })

  it('is read all the same when it is there again after the last look, and counts from then on', async () => {
    const content = randomBytes(2 * MIB)
    const id = await make(content, dealt([at(0), at(1)], content.length, MIB))
    faultAt([at(1)], nothing)
    await expect(read(await open(id))).rejects.toThrow(ContentUnavailableError)
    hideAll()
    for (const seconds of [60, 300, 1_800, 10_800]) await passes(seconds)
    expect(await rowOf(id)).toMatchObject({ copies: ['MISSING'], state: 'AT_RISK' })
    expect(await seeks(id)).toEqual([])
    await expect(read(await open(id))).rejects.toThrow('what “Drive 1” and “Drive 2” held is gone or damaged')
    domain.cloud.fault = null
    expect((await read(await open(id))).equals(content)).toBe(true)
    expect(await rowOf(id)).toMatchObject({ copies: ['STORED'], state: 'STORED' })
  })

  it('and is another one when it comes back is damaged for good', async () => {
    const id = await make(randomBytes(MIB), whole(0, MIB))
    faultAt([at(0)], nothing)
    await expect(read(await open(id))).rejects.toThrow(ContentUnavailableError)
    domain.cloud.fault = null
    const { rows } = await domain.pool.query<{ ref: string }>(
      'select p.object_ref as ref from pieces p join copies c on c.id = p.copy_id where c.file_id = $1',
      [id],
    )
    domain.cloud.overwrite(at(0), rows[0]?.ref as EntryRef, Buffer.from('another one'))
    await passes(60)
    expect(await rowOf(id)).toMatchObject({ copies: ['MISSING'], state: 'AT_RISK' })
    await expect(open(id)).rejects.toThrow(ContentUnavailableError)
  })

  it('on an account that does not answer stays unknown, on one that nobody can ask too', async () => {
    const id = await make(randomBytes(MIB), whole(0, MIB))
    faultAt([at(0)], nothing)
    await expect(read(await open(id))).rejects.toThrow(ContentUnavailableError)
    domain.cloud.fault = () => ({ kind: 'refused', code: 'Transient' })
    await passes(60)
    expect(await rowOf(id)).toMatchObject({ copies: ['STORED'] })
    expect(await seeks(id)).toEqual([{ at: 60, look: 0 }])
    await domain.pool.query(`update accounts set status = 'EXPIRED' where id = $1`, [at(0)])
    await passes(60)
    expect(await rowOf(id)).toMatchObject({ copies: ['STORED'] })
    expect(await seeks(id)).toEqual([])
  })
})

describe('an account that is left alone for its failures', () => {
  it('is asked all the same when every other copy fails: it may be well again', async () => {
    const content = randomBytes(2 * MIB)
    const open: string[] = []
    const insisted: string[] = []
    const layered = await startFilesDomain({
      wrap: (driver, accountId) => ({
        ...driver,
        async get(call, ref, range) {
          if (open.includes(accountId) && !call.lastChance) {
            const where = { provider: 'memory', operation: 'get' }
            throw new ProviderError('Transient', where, { message: 'Left alone.', attempts: 0 })
          }
          if (call.lastChance) insisted.push(accountId)
          return driver.get(call, ref, range)
        },
      }),
    })
    try {
      const { viewer, groupCloudId } = await createOwner(layered.pool)
      const of = { userId: viewer.userId, groupCloudId }
      const one = await connectAccount(layered, { ...of, name: 'One' })
      const two = await connectAccount(layered, { ...of, name: 'Two' })
      const copies = [one, two].map((accountId) => [{ accountId, size: content.length }])
      const id = await createRemoteFile(layered, { ...of, content, copies })
      const readIt = async () => read((await layered.files.open(viewer, id)).source)
      open.push(one)
      layered.cloud.fault = (operation, _ref, account) =>
        operation === 'get' && account === two ? { kind: 'refused', code: 'Forbidden' } : null
      expect((await readIt()).equals(content)).toBe(true)
      expect(insisted).toEqual([one])
      open.push(two)
      layered.cloud.fault = () => ({ kind: 'refused', code: 'Transient' })
      await expect(readIt()).rejects.toThrow('“One” does not answer and “Two” does not answer')
      expect(insisted.slice(1).toSorted()).toEqual([one, two].toSorted())
    } finally {
      await layered.close()
    }
  })
})
