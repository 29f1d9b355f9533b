import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  ChecksumMismatchError,
  ConflictError,
  IdempotencyKeyReusedError,
  InvalidInputError,
  NameTakenError,
  NotFoundError,
  StorageFullError,
  TooLargeError,
  TypeRefusedError,
  UploadIncompleteError,
  UploadOffsetMismatchError,
} from '../../server/domain/errors.ts'
import type { File } from '../../server/domain/files/contract.ts'
import type { UploadInput } from '../../server/domain/uploads/contract.ts'
import type { Viewer } from '../../server/domain/viewer.ts'
import { createFolder, createOwner } from '../factories/files.ts'
import { startDomain, type TestDomain } from '../setup/uploads.ts'

let domain: TestDomain
beforeAll(async () => {
  domain = await startDomain()
})
afterAll(() => domain.close())

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const text = (length: number) => Buffer.alloc(length, 'All work and no play makes Jack a dull boy.\n')
const owner = (quota?: number) => createOwner(domain.database.pool, quota)

function receive(viewer: Viewer, bytes: Buffer, input: Partial<UploadInput> = {}, key?: string): Promise<File> {
  const body = Readable.from([bytes])
  return domain.services.uploads.receive(viewer, { name: 'a.txt', size: bytes.length, ...input }, body, key)
}

async function download(viewer: Viewer, id: string): Promise<Buffer> {
  const { source } = await domain.services.files.open(viewer, id)
  return Buffer.concat(source.size === 0 ? [] : await source.read(0, source.size - 1).toArray())
}

async function accountOf({ accountId }: { accountId: string }) {
  const { usedBytes, reservedBytes } = await domain.database.db.account.findUniqueOrThrow({ where: { id: accountId } })
  return { used: Number(usedBytes), reserved: Number(reservedBytes) }
}

/** A body that sends `bytes` and then breaks. */
function breaking(bytes: Buffer): Readable {
  return Readable.from(
    (async function* () {
      yield bytes
      throw new Error('ECONNRESET')
    })(),
  )
}

describe('one request', () => {
  it.each([0, 1, 4095, 65_536, 1_048_577, 9_000_000])(
    'gives back %i bytes as they were, and counts them',
    async (length) => {
      const ada = await owner()
      const bytes = text(length)
      const file = await receive(ada.viewer, bytes)
      expect(file).toMatchObject({
        name: 'a.txt',
        size: length,
        sha256: sha256(bytes),
        category: 'TEXT',
        state: 'STORED',
      })
      expect(file).toMatchObject(await domain.services.files.get(ada.viewer, file.id))
      expect((await download(ada.viewer, file.id)).equals(bytes)).toBe(true)
      expect(await accountOf(ada)).toEqual({ used: length, reserved: 0 })
      const [copy] = (await domain.services.files.copies(ada.viewer, [file.id])).get(file.id) ?? []
      expect(copy?.why).toBe('This server (the only account of this group cloud)')
    },
  )

  it.each(['ünïcödé “quotes”.txt', ' leading space.txt', '文件 🎉.md', `${'x'.repeat(251)}.txt`, 'semi;colon%2F.txt'])(
    'keeps the name %s',
    async (name) => {
      const { viewer } = await owner()
      expect((await receive(viewer, text(3), { name })).name).toBe(name)
    },
  )

  it('tells subscribers after the commit', async () => {
    const { viewer } = await owner()
    const folder = await createFolder({ pool: domain.database.pool, store: domain.store }, { userId: viewer.userId })
    const file = await receive(viewer, text(3), { parentId: folder })
    const event = { fileIds: [file.id], removedIds: [], parentIds: [folder], truncated: false }
    expect(domain.published).toContainEqual({ topic: 'filesChanged', userId: viewer.userId, event })
    expect(await domain.services.files.get(viewer, folder)).toMatchObject({ childCount: 1 })
  })

  it('numbers a taken name, also among uploads of one moment', async () => {
    const { viewer } = await owner()
    const files = await Promise.all(
      Array.from({ length: 40 }, (_, i) => receive(viewer, text(i), { name: i % 2 ? 'A.txt' : 'a.txt' })),
    )
    const names = files.map(({ name }) => name.toLowerCase()).sort()
    expect(new Set(names).size).toBe(40)
    expect(names).toContain('a (39).txt')
  })

  it('keeps the file and its old content with REPLACE, and refuses with FAIL', async () => {
    const ada = await owner()
    const old = await receive(ada.viewer, text(5))
    const next = await receive(ada.viewer, text(6), { onConflict: 'REPLACE' })
    expect(next.name).toBe('a.txt')
    expect(next.id).toBe(old.id)
    expect((await domain.services.versions.list(ada.viewer, old.id)).map(({ size }) => size)).toEqual([6, 5])
    await expect(receive(ada.viewer, text(7), { onConflict: 'FAIL' })).rejects.toThrow(NameTakenError)
    expect(await accountOf(ada)).toEqual({ used: 11, reserved: 0 })
  })

  it('does not replace a folder by a file', async () => {
    const { viewer } = await owner()
    const deps = { pool: domain.database.pool, store: domain.store }
    const folder = await createFolder(deps, { userId: viewer.userId, name: 'a.txt' })
    expect((await receive(viewer, text(1), { onConflict: 'REPLACE' })).name).toBe('a (2).txt')
    expect((await domain.services.files.get(viewer, folder)).trashedAt).toBeNull()
  })

  it.each(['RENAME', 'REPLACE', 'FAIL'] as const)(
    'goes to the root when its folder is trashed while the bytes come (%s)',
    async (onConflict) => {
      const { viewer } = await owner()
      const other = await receive(viewer, text(5))
      const deps = { pool: domain.database.pool, store: domain.store }
      const above = await createFolder(deps, { userId: viewer.userId })
      const folder = await createFolder(deps, { userId: viewer.userId, parentId: above })
      async function* body() {
        yield text(10)
        await domain.services.files.trash(viewer, [above])
        yield text(10)
      }
      const input = { name: 'a.txt', size: null, parentId: folder, onConflict }
      const file = await domain.services.uploads.receive(viewer, input, Readable.from(body()))
      expect(file).toMatchObject({ name: 'a (2).txt', parentId: null, size: 20 })
      expect(await domain.services.files.get(viewer, other.id)).toMatchObject({ name: 'a.txt', size: 5 })
    },
  )

  it('leaves nothing of what breaks off, is too short or too long', async () => {
    const ada = await owner()
    const { uploads } = domain.services
    const input = { name: 'a.txt', size: 100 }
    await expect(uploads.receive(ada.viewer, input, breaking(text(50)))).rejects.toThrow(UploadIncompleteError)
    await expect(uploads.receive(ada.viewer, input, Readable.from([text(99)]))).rejects.toThrow(UploadIncompleteError)
    await expect(uploads.receive(ada.viewer, input, Readable.from([text(101)]))).rejects.toThrow(UploadIncompleteError)
    expect((await domain.services.files.list(ada.viewer, { view: 'ALL', limit: 10 })).items).toEqual([])
    expect(await accountOf(ada)).toEqual({ used: 0, reserved: 0 })
    expect(await domain.store.listStaged()).toEqual([])
  })

  it('survives a body that breaks before anybody reads it', async () => {
    const { viewer } = await owner()
    const body = new PassThrough()
    const pending = domain.services.uploads.receive(viewer, { name: 'a.txt', size: 5 }, body)
    body.destroy(new Error('ECONNRESET'))
    await expect(pending).rejects.toThrow(UploadIncompleteError)
  })

  it('refuses what is not the viewer’s, not a folder, or not a name', async () => {
    const [ada, eve] = [await owner(), await owner()]
    const deps = { pool: domain.database.pool, store: domain.store }
    const foreign = await createFolder(deps, { userId: ada.viewer.userId })
    await expect(receive(eve.viewer, text(1), { parentId: foreign })).rejects.toThrow(NotFoundError)
    await expect(receive(eve.viewer, text(1), { groupCloudId: ada.groupCloudId })).rejects.toThrow(NotFoundError)
    const file = await receive(ada.viewer, text(1))
    await expect(receive(ada.viewer, text(1), { parentId: file.id })).rejects.toThrow(NotFoundError)
    await expect(receive(ada.viewer, text(1), { name: 'a/b.txt' })).rejects.toThrow(InvalidInputError)
    await expect(receive(ada.viewer, text(1), { name: 'a.exe' })).rejects.toThrow(TypeRefusedError)
    await expect(receive(ada.viewer, Buffer.alloc(500, 1), { name: 'a.png' })).rejects.toThrow(TypeRefusedError)
    expect(await domain.store.listStaged()).toEqual([])
  })

  it('makes one file for one key, however often it is asked', async () => {
    const ada = await owner()
    const files = await Promise.all(Array.from({ length: 10 }, () => receive(ada.viewer, text(8), {}, 'key-1')))
    expect(new Set(files.map(({ id }) => id)).size).toBe(1)
    expect(await receive(ada.viewer, text(8), {}, 'key-1')).toEqual(files[0])
    await expect(receive(ada.viewer, text(9), {}, 'key-1')).rejects.toThrow(IdempotencyKeyReusedError)
    await expect(receive(ada.viewer, text(8), { name: 'b.txt' }, 'key-1')).rejects.toThrow(IdempotencyKeyReusedError)
    expect(await accountOf(ada)).toEqual({ used: 8, reserved: 0 })
    expect(await domain.store.listStaged()).toEqual([])
  })

  it('gives the key back when the request was refused', async () => {
    const ada = await owner()
    const first = await receive(ada.viewer, text(1))
    await expect(receive(ada.viewer, text(2), { onConflict: 'FAIL' }, 'again')).rejects.toThrow(NameTakenError)
    await domain.services.files.trash(ada.viewer, [first.id])
    expect(await receive(ada.viewer, text(2), { onConflict: 'FAIL' }, 'again')).toMatchObject({ name: 'a.txt' })
  })
})

describe('quota', () => {
  it('refuses a declared size before a byte is read, and an undeclared one while it comes', async () => {
    const { viewer } = await owner(1000)
    const body = Readable.from([text(10)])
    const { uploads } = domain.services
    const refusal = await uploads.receive(viewer, { name: 'a.txt', size: 1001 }, body).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(StorageFullError)
    expect(refusal).toMatchObject({ neededBytes: 1001, freeBytes: 1000 })
    expect(body.readableDidRead).toBe(false)
    const endless = Readable.from(
      (function* () {
        for (;;) yield text(100)
      })(),
    )
    await expect(uploads.receive(viewer, { name: 'a.txt', size: null }, endless)).rejects.toThrow(StorageFullError)
    expect(await domain.store.listStaged()).toEqual([])
  })

  it.each(['receive', 'create'] as const)('never gives away more than there is to 20 at once (%s)', async (way) => {
    const ada = await owner(1000)
    const attempt = (index: number) =>
      way === 'receive'
        ? receive(ada.viewer, text(150), { size: null, name: `${index}.txt` })
        : domain.services.uploads.create(ada.viewer, { name: `${index}.txt`, size: 150 })
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => attempt(index)))
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    expect(refused).toHaveLength(14)
    for (const reason of refused) expect(reason).toBeInstanceOf(StorageFullError)
    const { used, reserved } = await accountOf(ada)
    expect(used + reserved).toBe(900)
    // Published objects move to their final place while the responses are sent.
    await expect.poll(() => domain.store.listStaged()).toEqual([])
  })
})

describe('resumable', () => {
  const start = (viewer: Viewer, size: number, name = 'a.txt', key?: string) =>
    domain.services.uploads.create(viewer, { name, size }, key)

  it('becomes a file when the last byte is there, and says so again when asked again', async () => {
    const ada = await owner()
    const bytes = text(300_000)
    const { uploads } = domain.services
    const upload = await start(ada.viewer, bytes.length)
    expect(await accountOf(ada)).toEqual({ used: 0, reserved: 300_000 })
    expect(await uploads.append(ada.viewer, upload.id, 0, Readable.from([bytes.subarray(0, 100_000)]))).toBe(100_000)
    await expect(uploads.finish(ada.viewer, upload.id)).rejects.toThrow(UploadIncompleteError)
    expect(await uploads.append(ada.viewer, upload.id, 100_000, Readable.from([bytes.subarray(100_000)]))).toBe(300_000)
    const file = await uploads.finish(ada.viewer, upload.id)
    expect(file).toMatchObject({ size: 300_000, sha256: sha256(bytes) })
    expect((await download(ada.viewer, file.id)).equals(bytes)).toBe(true)
    expect(file).toMatchObject(await uploads.finish(ada.viewer, upload.id))
    expect(await uploads.get(ada.viewer, upload.id)).toMatchObject({ offset: 300_000, fileId: file.id })
    expect(await uploads.append(ada.viewer, upload.id, 300_000, Readable.from([]))).toBe(300_000)
    expect(await accountOf(ada)).toEqual({ used: 300_000, reserved: 0 })
    const last = domain.published.findLast(({ topic }) => topic === 'uploadProgressed')
    expect(last?.event).toEqual({ uploadId: upload.id, receivedBytes: 300_000, totalBytes: 300_000, fileId: file.id })
  })

  it('keeps what came before a cut, also across a restart of the server', async () => {
    const { viewer } = await owner()
    const bytes = text(500_000)
    const { uploads } = domain.services
    const upload = await start(viewer, bytes.length)
    await expect(uploads.append(viewer, upload.id, 0, breaking(bytes.subarray(0, 200_000)))).rejects.toThrow(
      UploadIncompleteError,
    )
    expect((await uploads.get(viewer, upload.id)).offset).toBe(200_000)

    const { services } = await domain.restart()
    expect((await services.uploads.get(viewer, upload.id)).offset).toBe(200_000)
    await services.uploads.append(viewer, upload.id, 200_000, Readable.from([bytes.subarray(200_000)]))
    expect((await services.uploads.finish(viewer, upload.id)).sha256).toBe(sha256(bytes))
  })

  it('refuses another offset, a wrong checksum and too many bytes, and keeps nothing of them', async () => {
    const { viewer } = await owner()
    const { uploads } = domain.services
    const upload = await start(viewer, 100)
    await uploads.append(viewer, upload.id, 0, Readable.from([text(40)]))
    await expect(uploads.append(viewer, upload.id, 39, Readable.from([text(1)]))).rejects.toThrow(
      UploadOffsetMismatchError,
    )
    await expect(uploads.append(viewer, upload.id, 40, Readable.from([text(61)]))).rejects.toThrow(TooLargeError)
    const wrong = { algorithm: 'sha1', digest: Buffer.alloc(20) } as const
    await expect(uploads.append(viewer, upload.id, 40, Readable.from([text(60)]), wrong)).rejects.toThrow(
      ChecksumMismatchError,
    )
    expect((await uploads.get(viewer, upload.id)).offset).toBe(40)
    const right = { algorithm: 'md5', digest: createHash('md5').update(text(60)).digest() } as const
    expect(await uploads.append(viewer, upload.id, 40, Readable.from([text(60)]), right)).toBe(100)
    const whole = Buffer.concat([text(40), text(60)])
    expect((await uploads.finish(viewer, upload.id)).sha256).toBe(sha256(whole))
  })

  it('lets one of two senders write, and a new one take over from one that is silent', async () => {
    const { viewer } = await owner()
    const { uploads } = domain.services
    const upload = await start(viewer, 1000)
    const busy = new PassThrough()
    busy.write(text(1))
    const first = expect(uploads.append(viewer, upload.id, 0, busy)).rejects.toThrow(UploadIncompleteError)
    await vi.waitUntil(() => busy.readableLength === 0)
    const ticking = setInterval(() => busy.write(text(1)), 50)
    await expect(uploads.append(viewer, upload.id, 0, Readable.from([text(1000)]))).rejects.toThrow(ConflictError)
    clearInterval(ticking)
    const { offset } = await uploads.get(viewer, upload.id)
    await first
    expect(offset).toBeGreaterThan(0)
    expect(await uploads.append(viewer, upload.id, offset, Readable.from([text(1000 - offset)]))).toBe(1000)
  })

  it('is nobody else’s', async () => {
    const [ada, eve] = [await owner(), await owner()]
    const { uploads } = domain.services
    const upload = await start(ada.viewer, 10)
    await expect(uploads.get(eve.viewer, upload.id)).rejects.toThrow(NotFoundError)
    await expect(uploads.append(eve.viewer, upload.id, 0, Readable.from([text(10)]))).rejects.toThrow(NotFoundError)
    await expect(uploads.finish(eve.viewer, upload.id)).rejects.toThrow(NotFoundError)
    await expect(uploads.remove(eve.viewer, upload.id)).rejects.toThrow(NotFoundError)
    expect((await uploads.get(ada.viewer, upload.id)).offset).toBe(0)
  })

  it('gives its room back when it is removed, refused for its type, or forgotten', async () => {
    const ada = await owner(1000)
    const { uploads } = domain.services
    const removed = await start(ada.viewer, 600)
    await uploads.append(ada.viewer, removed.id, 0, Readable.from([text(10)]))
    await uploads.remove(ada.viewer, removed.id)
    const refused = await start(ada.viewer, 600, 'a.png')
    await uploads.append(ada.viewer, refused.id, 0, Readable.from([Buffer.alloc(600, 1)]))
    await expect(uploads.finish(ada.viewer, refused.id)).rejects.toThrow(TypeRefusedError)
    const forgotten = await start(ada.viewer, 600)
    await uploads.append(ada.viewer, forgotten.id, 0, Readable.from([text(10)]))
    await domain.database.pool.query(`update uploads set expires_at = now() - interval '1 second' where id = $1`, [
      forgotten.id,
    ])
    await expect(uploads.get(ada.viewer, forgotten.id)).rejects.toThrow(NotFoundError)
    await domain.housekeeping.uploads.expire(new AbortController().signal)
    expect(await accountOf(ada)).toEqual({ used: 0, reserved: 0 })
    expect(await domain.store.stagedSize(forgotten.id)).toBeNull()
    expect(await domain.store.stagedSize(refused.id)).toBeNull()
    expect(await domain.store.stagedSize(removed.id)).toBeNull()
  })

  it('is one upload for one key', async () => {
    const ada = await owner()
    const uploads = await Promise.all(Array.from({ length: 5 }, () => start(ada.viewer, 100, 'a.txt', 'tus-key')))
    expect(new Set(uploads.map(({ id }) => id)).size).toBe(1)
    await expect(start(ada.viewer, 101, 'a.txt', 'tus-key')).rejects.toThrow(IdempotencyKeyReusedError)
    expect(await accountOf(ada)).toEqual({ used: 0, reserved: 100 })
  })

  it('finishes an empty file', async () => {
    const { viewer } = await owner()
    const upload = await start(viewer, 0, 'empty.pdf')
    const file = await domain.services.uploads.finish(viewer, upload.id)
    expect(file).toMatchObject({ size: 0, category: 'PDF', mimeType: 'application/pdf' })
    expect(await download(viewer, file.id)).toHaveLength(0)
  })
})

describe('an upload that another request finishes', () => {
  const signal = new AbortController().signal
  afterEach(() => vi.restoreAllMocks())

  async function complete(viewer: Viewer, bytes: Buffer): Promise<string> {
    const { id } = await domain.services.uploads.create(viewer, { name: 'a.txt', size: bytes.length })
    await domain.services.uploads.append(viewer, id, 0, Readable.from([bytes]))
    return id
  }

  /** Delays the next database response about an upload until `arrive` is called. */
  function slowAnswer(): { held: Promise<void>; arrive: () => void } {
    const { pool } = domain.database
    const query = pool.query.bind(pool) as (...args: unknown[]) => unknown
    const gate = new PassThrough()
    const hold = new PassThrough()
    const held = once(hold, 'close').then(() => undefined)
    let isFirst = true
    vi.spyOn(pool, 'query').mockImplementation((async (...args: unknown[]) => {
      // Chosen by the order of requests: responses may arrive in another order.
      const isHeld = isFirst && (args[0] as { name?: string }).name === 'uploads-find'
      if (isHeld) isFirst = false
      const result = await query(...args)
      if (!isHeld) return result
      hold.destroy()
      await once(gate, 'close')
      return result
    }) as never)
    return { held, arrive: () => gate.destroy() }
  }

  it('takes no bytes that were on their way', async () => {
    const { viewer } = await owner()
    const { uploads } = domain.services
    const id = await complete(viewer, text(10))
    const answer = slowAnswer()
    const late = uploads.append(viewer, id, 0, Readable.from([Buffer.from('other byte')])).catch((error) => error)
    await answer.held
    const finished = uploads.finish(viewer, id)
    await Promise.race([finished.then(() => expect.poll(() => domain.store.stagedSize(id)).toBeNull()), sleep(300)])
    answer.arrive()
    expect(await late).toBeInstanceOf(UploadOffsetMismatchError)
    const file = await finished
    await expect.poll(() => domain.store.stagedSize(id)).toBeNull()
    await domain.housekeeping.uploads.sweepStaging(signal)
    expect((await download(viewer, file.id)).equals(text(10))).toBe(true)
  })

  it('is not said to be empty', async () => {
    const { viewer } = await owner()
    const { uploads } = domain.services
    const id = await complete(viewer, text(10))
    const answer = slowAnswer()
    const asked = uploads.get(viewer, id)
    await answer.held
    const file = await uploads.finish(viewer, id)
    await expect.poll(() => domain.store.stagedSize(id)).toBeNull()
    answer.arrive()
    expect(await asked).toMatchObject({ offset: 10, fileId: file.id })
  })

  it('keeps its bytes when the upload is removed or expires', async () => {
    const { viewer } = await owner()
    const { uploads } = domain.services
    const ids = [await complete(viewer, text(10)), await complete(viewer, text(10))] as const
    const files = [await uploads.finish(viewer, ids[0]), await uploads.finish(viewer, ids[1])]
    await uploads.remove(viewer, ids[0])
    await domain.database.pool.query(`update uploads set expires_at = now() - interval '1 second' where id = $1`, [
      ids[1],
    ])
    await domain.housekeeping.uploads.expire(signal)
    await domain.housekeeping.uploads.sweepStaging(signal)
    for (const { id } of files) expect((await download(viewer, id)).equals(text(10))).toBe(true)
  })

  it('loses nothing when it is asked for while it goes on after a restart', async () => {
    const { viewer } = await owner()
    const { id } = await domain.services.uploads.create(viewer, { name: 'a.txt', size: 20 })
    await domain.services.uploads.append(viewer, id, 0, Readable.from([text(10)]))
    const { services, store } = await domain.restart()
    const syncStaged = store.syncStaged.bind(store)
    let appended: Promise<number> = Promise.resolve(0)
    vi.spyOn(store, 'syncStaged').mockImplementationOnce(async (...args) => {
      appended = services.uploads.append(viewer, id, 10, Readable.from([text(10)]))
      await Promise.race([appended, sleep(300)])
      return syncStaged(...args)
    })
    await services.uploads.get(viewer, id)
    expect(await appended).toBe(20)
    expect(await store.stagedSize(id)).toBe(20)
  })
})

describe('after a crash', () => {
  const signal = new AbortController().signal

  it('the sweep puts stored bytes in place, keeps live uploads and removes the rest', async () => {
    const { viewer } = await owner()
    const { uploads } = domain.services
    const stored = await uploads.create(viewer, { name: 'stored.txt', size: 10 })
    await uploads.append(viewer, stored.id, 0, Readable.from([text(10)]))
    const file = await uploads.finish(viewer, stored.id)
    await expect.poll(() => domain.store.stagedSize(stored.id)).toBeNull()
    const live = await uploads.create(viewer, { name: 'live.txt', size: 10 })
    await uploads.append(viewer, live.id, 0, Readable.from([text(5)]))
    const strays = await Promise.all(
      Array.from({ length: 1000 }, async (): Promise<string> => {
        const id = crypto.randomUUID()
        await (await domain.store.stage(id, 0)).close()
        return id
      }),
    )
    const { housekeeping, store, services } = await domain.restart()
    await housekeeping.uploads.sweepStaging(signal)
    expect(await store.listStaged()).toEqual(expect.arrayContaining([live.id]))
    expect((await store.listStaged()).filter((id) => strays.includes(id))).toEqual([])
    expect((await services.uploads.get(viewer, live.id)).offset).toBe(5)
    expect((await download(viewer, file.id)).equals(text(10))).toBe(true)
  })

  it('the sweep never puts staged bytes in the place of stored ones', async () => {
    const { viewer } = await owner()
    const { uploads } = domain.services
    const { id } = await uploads.create(viewer, { name: 'a.txt', size: 10 })
    await uploads.append(viewer, id, 0, Readable.from([text(10)]))
    const file = await uploads.finish(viewer, id)
    await expect.poll(() => domain.store.stagedSize(id)).toBeNull()
    writeFileSync(join(domain.dataDir, 'staging', id), 'other byte')
    await domain.housekeeping.uploads.sweepStaging(signal)
    expect(await domain.store.stagedSize(id)).toBeNull()
    expect((await download(viewer, file.id)).equals(text(10))).toBe(true)
  })

  it('the sweep removes what one request was sending, with the room that it reserved, and no resumable upload', async () => {
    const { viewer } = await owner()
    const half = 2 * 1024 * 1024
    const reserved = async () =>
      (
        await domain.database.pool.query<{ bytes: number }>(
          'select sum(reserved_bytes)::float8 as bytes from accounts where user_id = $1',
          [viewer.userId],
        )
      ).rows[0]?.bytes
    const resumable = await domain.services.uploads.create(viewer, { name: 'live.txt', size: 10 })
    const before = await domain.store.listStaged()
    const body = new PassThrough()
    const cut = domain.services.uploads.receive(viewer, { name: 'a.txt', size: half * 2 }, body).catch((error) => error)
    body.write(text(half))
    await expect.poll(reserved).toBe(half * 2 + 10)
    await expect.poll(async () => (await domain.store.listStaged()).length).toBeGreaterThan(before.length)
    const { housekeeping, store, services } = await domain.restart()
    await housekeeping.uploads.sweepStaging(signal)
    expect(await reserved()).toBe(10)
    expect((await store.listStaged()).filter((id) => !before.includes(id))).toEqual([])
    expect((await services.uploads.get(viewer, resumable.id)).offset).toBe(0)
    body.destroy(new Error('The process was killed.'))
    await cut
  })

  it('the sweep does not touch an upload that is coming in', async () => {
    const { viewer } = await owner()
    const body = new PassThrough()
    const before = (await domain.store.listStaged()).length
    // More than the writer buffers before the first write to disk.
    const half = 2 * 1024 * 1024
    const pending = domain.services.uploads.receive(viewer, { name: 'a.txt', size: half * 2 }, body)
    body.write(text(half))
    await expect.poll(async () => (await domain.store.listStaged()).length).toBeGreaterThan(before)
    await domain.housekeeping.uploads.sweepStaging(signal)
    body.end(text(half))
    const file = await pending
    expect(await download(viewer, file.id)).toHaveLength(half * 2)
  })
})
