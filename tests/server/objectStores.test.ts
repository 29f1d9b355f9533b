import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { reliedMs } from '../../server/db/servers.ts'
import { createStagedRows } from '../../server/db/stagedObjects.ts'
import { ObjectMissingError, ObjectStoredError } from '../../server/storage/errors.ts'
import { createObjectStore, type ObjectStore } from '../../server/storage/objectStore.ts'
import { DEFAULT_S3_LIMITS } from '../../server/storage/s3/context.ts'
import { createS3Store } from '../../server/storage/s3/store.ts'
import { startS3Emulator } from '../fakes/s3/emulator.ts'
import { prepareStore, startStore } from '../fakes/s3/store.ts'
import type { S3Server } from '../fakes/s3/swift.ts'
import { makeBucket, type TestBucket } from '../setup/bucket.ts'
import { createTestDatabase } from '../setup/database.ts'
import { readObject as read } from '../setup/uploads.ts'

// The contract of ObjectStore, for both kinds.

const KIB = 1024
/** The smallest part that the test service accepts. */
const PART = 64 * KIB

type Place = {
  /** The store of another server on the same bytes. */
  open(): Promise<ObjectStore>
  /** Sets when a staged object was last written to. */
  age(id: string, seconds: number): Promise<void>
  /** Only with a bucket. */
  readonly bucket?: TestBucket
  close(): Promise<void>
}

async function onDisk(): Promise<Place> {
  const { utimesSync } = await import('node:fs')
  const dataDir = mkdtempSync(join(tmpdir(), 'skypool-stores-'))
  return {
    open: () => createObjectStore(dataDir),
    async age(id, seconds) {
      const written = Date.now() / 1000 - seconds
      utimesSync(join(dataDir, 'staging', id), written, written)
    },
    close: async () => rmSync(dataDir, { recursive: true, force: true }),
  }
}

async function inBucket(start: () => Promise<S3Server>): Promise<Place> {
  const [server, database] = await Promise.all([start(), createTestDatabase()])
  const bucket = await makeBucket(server)
  return {
    bucket,
    open: async () =>
      createS3Store({
        place: bucket.place,
        rows: createStagedRows(database.pool),
        limits: { partBytes: PART, maxParts: 10, copyBytes: 4 * PART },
      }),
    async age(id, seconds) {
      const touch = 'update staged_objects set touched_at = now() - make_interval(secs => $2) where id = $1'
      await database.pool.query(touch, [id, seconds])
    },
    async close() {
      await server.close()
      await database.close()
    },
  }
}

async function put(store: ObjectStore, id: string, bytes: Buffer, chunkSize = bytes.length || 1): Promise<void> {
  const writer = await store.stage(id, 0)
  for (let at = 0; at < bytes.length; at += chunkSize) await writer.write(bytes.subarray(at, at + chunkSize))
  await writer.sync()
  await writer.close()
}

async function append(store: ObjectStore, id: string, offset: number, bytes: Buffer): Promise<void> {
  const writer = await store.stage(id, offset)
  await writer.write(bytes)
  await writer.sync()
  await writer.close()
}

async function storedIn(store: ObjectStore): Promise<string[]> {
  const found: string[] = []
  for await (const id of store.listStored()) found.push(id)
  return found
}

const missingStore = await prepareStore()
const kinds = [
  { name: 'on the disk', missing: null, start: onDisk },
  { name: 'in a bucket', missing: missingStore, start: () => inBucket(startStore) },
  {
    name: 'in a bucket of a store that wants every part named',
    missing: null,
    start: () => inBucket(() => startS3Emulator({ wantsEveryPart: true, minPartBytes: PART })),
  },
]

describe.each(kinds)('objects $name', ({ missing, start }) => {
  let place: Place
  let store: ObjectStore
  let other: ObjectStore
  beforeAll(async () => {
    if (missing !== null) return
    place = await start()
    store = await place.open()
    other = await place.open()
  })
  afterAll(() => place?.close())
  const test = it.skipIf(missing !== null)

  test.each([777, 65_536, 400_000])('come back as they were written in chunks of %i bytes', async (chunkSize) => {
    const [id, bytes] = [randomUUID(), randomBytes(400_000)]
    await put(store, id, bytes, chunkSize)
    expect(await store.stagedSize(id)).toBe(bytes.length)
    expect(await other.syncStaged(id)).toBe(bytes.length)
    expect((await read(other, id, 0, bytes.length - 1)).equals(bytes)).toBe(true)
    expect(await storedIn(store)).not.toContain(id)
    await store.publish(id)
    await other.publish(id)
    expect(await store.listStaged()).not.toContain(id)
    expect(await storedIn(store)).toContain(id)
    expect((await read(store, id, 100, 300_000)).equals(bytes.subarray(100, 300_001))).toBe(true)
    await store.delete(id)
    await store.delete(id)
    await expect(read(store, id, 0, 1)).rejects.toThrow(ObjectMissingError)
  })

  test.each([0, 1, 65_535, 65_536, 65_537, 1_500_001])('of a new id come back with %i bytes', async (size) => {
    const [id, bytes] = [randomUUID(), randomBytes(size)]
    const writer = store.create(id)
    for (let at = 0; at < size; at += 50_000) await writer.write(bytes.subarray(at, at + 50_000))
    expect(writer.position).toBe(size)
    await writer.sync()
    await writer.close()
    expect(await store.stagedSize(id)).toBe(size)
    await store.publish(id)
    expect(await store.size(id)).toBe(size)
    if (size > 0) expect((await read(other, id, 0, size - 1)).equals(bytes)).toBe(true)
    await other.delete(id)
  })

  test('of a new id are made once', async () => {
    const id = randomUUID()
    const writer = store.create(id)
    await writer.write(Buffer.from('abc'))
    await writer.sync()
    await writer.close()
    const twin = other.create(id)
    await twin.write(Buffer.from('xyz'))
    await expect(twin.sync()).rejects.toThrow('EEXIST')
    await twin.close()
    await store.publish(id)
    await store.publish(id)
    expect((await read(store, id, 0, 2)).toString()).toBe('abc')
  })

  test('that are in no place cannot be published', async () => {
    await expect(store.publish(randomUUID())).rejects.toThrow(ObjectMissingError)
    const id = randomUUID()
    await store.create(id).close()
    await expect(store.publish(id)).rejects.toThrow(ObjectMissingError)
  })

  test('are known to be deleted while they are written', async () => {
    const id = randomUUID()
    const writer = store.create(id)
    await writer.write(Buffer.from('abc'))
    await writer.sync()
    expect(await writer.exists()).toBe(true)
    await store.publish(id)
    expect(await writer.exists()).toBe(true)
    await other.delete(id)
    expect(await writer.exists()).toBe(false)
    await writer.close()
    expect(await writer.exists()).toBe(false)
  })

  test('that have been idle are listed', async () => {
    const [idle, fresh] = [randomUUID(), randomUUID()]
    for (const id of [idle, fresh]) await put(store, id, Buffer.from('abc'))
    await place.age(idle, 300)
    const found = await other.listStaged(200_000)
    expect(found).toContain(idle)
    expect(found).not.toContain(fresh)
    expect(await store.listStaged()).toEqual(expect.arrayContaining([idle, fresh]))
    for (const id of [idle, fresh]) await store.delete(id)
  })

  test('can be read while they are published', async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = randomUUID()
      await put(store, id, Buffer.from('abc'))
      const [bytes] = await Promise.all([read(other, id, 0, 2), store.publish(id)])
      expect(bytes.toString()).toBe('abc')
    }
  })

  test.each([
    [6, 3],
    [PART + 6, PART - 3],
    [3 * PART + 6, PART + 3],
    [3 * PART + 6, 3 * PART + 3],
    [12 * PART + 6, 11 * PART + 3],
  ])('of %i bytes continue at byte %i, and drop what follows', async (size, offset) => {
    const [id, bytes, more] = [randomUUID(), randomBytes(size), randomBytes(2 * PART)]
    await put(store, id, bytes)
    await append(other, id, offset, more)
    const expected = Buffer.concat([bytes.subarray(0, offset), more])
    expect(await store.stagedSize(id)).toBe(expected.length)
    expect((await read(store, id, 0, expected.length - 1)).equals(expected)).toBe(true)
    await expect(store.stage(id, expected.length + 1)).rejects.toThrow(ObjectMissingError)
    await put(other, id, Buffer.from('again'))
    expect((await read(store, id, 0, 4)).toString()).toBe('again')
    await store.discard(id)
    expect(await store.size(id)).toBeNull()
  })

  test('are cut back to what was there, also after it was made durable', async () => {
    for (const size of [10, PART + 10, 3 * PART]) {
      const [id, bytes] = [randomUUID(), randomBytes(size)]
      await put(store, id, bytes)
      for (const isSynced of [false, true]) {
        const writer = await other.stage(id, size)
        await writer.write(randomBytes(2 * PART + 1))
        if (isSynced) await writer.sync()
        await writer.truncate(size)
        await writer.close()
        expect(await store.stagedSize(id)).toBe(size)
      }
      await append(store, id, size, Buffer.from('end'))
      const expected = Buffer.concat([bytes, Buffer.from('end')])
      expect((await read(other, id, 0, size + 2)).equals(expected)).toBe(true)
      await store.discard(id)
    }
  })

  test('arrive in many pieces at two servers, some of which are read in between', async () => {
    const [id, bytes] = [randomUUID(), randomBytes(1_200_000)]
    let at = 0
    for (let turn = 0; at < bytes.length; turn += 1) {
      const piece = bytes.subarray(at, at + 1 + Math.floor(Math.random() * 3 * PART))
      await append(turn % 2 === 0 ? store : other, id, at, piece)
      at += piece.length
      if (turn % 7 === 6) expect((await read(store, id, 0, at - 1)).equals(bytes.subarray(0, at))).toBe(true)
    }
    await other.publish(id)
    expect((await read(store, id, 0, bytes.length - 1)).equals(bytes)).toBe(true)
    await store.delete(id)
  })

  test('are durable up to the last flush when their writer stops', async () => {
    const [id, bytes] = [randomUUID(), randomBytes(4 * PART)]
    const lost = await store.stage(id, 0)
    await lost.write(bytes.subarray(0, 2 * PART + 10))
    await lost.sync()
    await lost.write(bytes.subarray(2 * PART + 10))
    expect(await other.stagedSize(id)).toBeGreaterThanOrEqual(2 * PART + 10)
    await append(other, id, 2 * PART + 10, bytes.subarray(2 * PART + 10))
    await other.publish(id)
    expect((await read(other, id, 0, bytes.length - 1)).equals(bytes)).toBe(true)
    await lost.close()
    await other.delete(id)
  })

  test('say their size in staging and when they are stored', async () => {
    const id = randomUUID()
    expect(await store.size(id)).toBeNull()
    await put(store, id, Buffer.from('abcdef'))
    expect(await other.size(id)).toBe(6)
    await store.publish(id)
    expect(await other.stagedSize(id)).toBeNull()
    expect(await other.size(id)).toBe(6)
    await store.delete(id)
    expect(await store.size(id)).toBeNull()
  })

  test('have ids that are no paths', async () => {
    for (const id of ['../x', 'a', '', '..', `${randomUUID()}/../../x`, `${randomUUID()}\0`]) {
      await expect(store.stage(id, 0)).rejects.toThrow('UUID')
      await expect(store.publish(id)).rejects.toThrow('UUID')
    }
  })

  test('cannot be written to once they are stored', async () => {
    const id = randomUUID()
    await put(store, id, Buffer.from('abc'))
    await store.publish(id)
    await expect(other.stage(id, 0)).rejects.toThrow(ObjectStoredError)
    expect(await store.stagedSize(id)).toBeNull()
    expect((await read(store, id, 0, 2)).toString()).toBe('abc')
  })

  test('report a content that is shorter than its row', async () => {
    const id = randomUUID()
    await put(store, id, Buffer.from('abc'))
    await expect(read(store, id, 0, 10)).rejects.toThrow('shorter')
    await store.publish(id)
    await expect(read(store, id, 0, 10)).rejects.toThrow('shorter')
  })

  test('are read forward and again by one reader', async () => {
    const [id, bytes] = [randomUUID(), randomBytes(300_000)]
    await put(store, id, bytes)
    const reader = await other.open(id, bytes.length).open({ start: 0, end: bytes.length - 1 })
    for (const at of [0, 100_000, 200_000, 50_000, 299_999]) {
      const target = Buffer.alloc(Math.min(100_000, bytes.length - at))
      let filled = 0
      while (filled < target.length) filled += await reader.read(target.subarray(filled), at + filled)
      expect(target.equals(bytes.subarray(at, at + target.length))).toBe(true)
    }
    await reader.close()
  })

  test('are deleted again by a later sweep if the last request of a writer that died is carried out late', async () => {
    const { bucket } = place
    if (!bucket) return
    const [id, bytes] = [randomUUID(), randomBytes(PART)]
    await put(store, id, bytes)
    await read(store, id, 0, 1)
    const key = (await bucket.keys()).find((each) => each.endsWith(id)) ?? ''
    await other.discard(id)
    expect(await bucket.keys()).not.toContain(key)
    await bucket.put(key, bytes)
    expect(await storedIn(other)).not.toContain(id)
    expect(await other.stagedSize(id)).toBeNull()
    expect(await other.listStaged()).toContain(id)
    await place.age(id, 120)
    await other.discard(id)
    expect(await bucket.keys()).not.toContain(key)
    expect(await other.listStaged()).not.toContain(id)
  })

  test('leave nothing', async () => {
    for (const id of await store.listStaged()) await store.discard(id)
    for await (const id of store.listStored()) await store.delete(id)
    if (!place.bucket) return
    expect(await place.bucket.keys()).toEqual([])
    expect(await place.bucket.uploads()).toBe(0)
  })
})

it('a writer to a bucket relies on the database for less time than other servers wait before they take over', () => {
  // A suspended server may have sent its last heartbeat one interval before the answer.
  const times = { beat: 4_000, silence: 20_000 }
  expect(reliedMs(times)).toBeLessThan(times.silence - times.beat)
  expect(DEFAULT_S3_LIMITS.reliedMs).toBe(reliedMs())
  expect(reliedMs({ beat: 1_000, silence: 10_000 })).toBe(8_000)
})
