import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createStagedRows } from '../../server/db/stagedObjects.ts'
import { createMoveRows } from '../../server/db/storageMoves.ts'
import { unpackSwift } from '../../server/scripts/setup/swift.mjs'
import { DiskFullError, ObjectMissingError } from '../../server/storage/errors.ts'
import { isSameStorage, openBucketPlace } from '../../server/storage/move/bucketPlace.ts'
import { idOfFolder, openDiskPlace } from '../../server/storage/move/diskPlace.ts'
import { finishInterrupted, type Moved, moveObjects, TargetError } from '../../server/storage/move/mover.ts'
import { createMovingStore, type Side } from '../../server/storage/move/movingStore.ts'
import type { MovePlace, Receiving } from '../../server/storage/move/places.ts'
import type { MoveRows } from '../../server/storage/move/rows.ts'
import { createObjectStore, type ObjectStore } from '../../server/storage/objectStore.ts'
import { createS3Client, type S3Client } from '../../server/storage/s3/client.ts'
import { createS3Objects } from '../../server/storage/s3/objects.ts'
import { createS3Store } from '../../server/storage/s3/store.ts'
import { startS3Emulator } from '../fakes/s3/emulator.ts'
import { type S3Server, startSwift, whyNoSwift } from '../fakes/s3/swift.ts'
import { makeBucket, type TestBucket } from '../setup/bucket.ts'
import { type Crash, createCrash } from '../setup/crashing.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'

// The mover against real storages: what a kill at any step, or a deletion between any two, leaves behind.

const PART = 64 * 1024
const limits = { partBytes: PART, maxParts: 100, copyBytes: 2 * PART }
const signal = new AbortController().signal

await unpackSwift()

type Live = Map<string, Buffer>
type World = {
  readonly dataDir: string
  readonly bucket: TestBucket
  readonly disk: ObjectStore
  readonly inBucket: ObjectStore
  /** As servers use both. */
  readonly store: ObjectStore
  /** What files have. */
  readonly live: Live
  places(crash?: Crash): Promise<Readonly<Record<Side, MovePlace>>>
  rows(crash?: Crash): MoveRows
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

describe.each([
  ['DISK', 'BUCKET'],
  ['BUCKET', 'DISK'],
] as const)('from %s to %s', (source, target) => {
  let service: S3Server
  /** Quick enough for a new move at each step. */
  let quick: S3Server
  let database: TestDatabase
  let world: World
  const folders: string[] = []
  beforeAll(async () => {
    ;[service, quick, database] = await Promise.all([
      whyNoSwift() === null ? startSwift() : startS3Emulator(),
      startS3Emulator(),
      createTestDatabase(),
    ])
  })
  beforeEach(async () => {
    world = await createWorld()
  })
  afterAll(async () => {
    await service?.close()
    await quick?.close()
    await database?.close()
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })

  async function createWorld(at = service): Promise<World> {
    const dataDir = mkdtempSync(join(tmpdir(), 'skypool-move-'))
    folders.push(dataDir)
    const bucket = await makeBucket(at)
    const { place } = bucket
    const staged = createStagedRows(database.pool)
    const disk = await createObjectStore(dataDir)
    const inBucket = createS3Store({ place, rows: staged, limits })
    const live: Live = new Map()
    return {
      ...{ dataDir, bucket, disk, inBucket, live },
      store: createMovingStore({ disk, bucket: inBucket, target: async () => target }),
      async places(crash) {
        const client = createS3Client({ bucket: place })
        const opened = {
          DISK: await openDiskPlace({ dataDir, reserveBytes: 0 }),
          BUCKET: openBucketPlace({ place, rows: staged, limits, client: crash ? dying(client, crash) : client }),
        }
        return crash ? { ...opened, DISK: mortal(opened.DISK, crash) } : opened
      },
      rows(crash) {
        const rows = createMoveRows(crash ? crash.pool(database.pool) : database.pool)
        const known: MoveRows['known'] = async (ids) =>
          new Map(
            ids.flatMap((id) => {
              const bytes = live.get(id)
              return bytes ? [[id, { sha256: sha256(bytes), size: bytes.length, fileId: id, isLive: true }]] : []
            }),
          )
        return { ...rows, known, find: async (id) => (await known([id])).get(id) ?? null }
      },
    }
  }

  const sourceStore = () => (source === 'DISK' ? world.disk : world.inBucket)
  const targetStore = () => (target === 'DISK' ? world.disk : world.inBucket)

  async function put(bytes: Buffer, store = sourceStore()): Promise<string> {
    const id = randomUUID()
    const writer = store.create(id)
    await writer.write(bytes)
    await writer.sync()
    await store.publish(id)
    await writer.close()
    world.live.set(id, bytes)
    return id
  }

  async function move(crash?: Crash, change: (places: Record<Side, MovePlace>) => void = () => {}): Promise<Moved> {
    const places = { ...(await world.places(crash)) }
    change(places)
    const ends = { from: places[source], to: places[target], rows: world.rows(crash) }
    await finishInterrupted(ends)
    return moveObjects({ ...ends, parallel: 1, signal, onObject: () => {} })
  }

  async function readAll(store: ObjectStore, id: string, size: number): Promise<Buffer> {
    if (size === 0) return Buffer.alloc(0)
    const chunks: Buffer[] = []
    for await (const chunk of store.open(id, size).read(0, size - 1)) chunks.push(chunk)
    return Buffer.concat(chunks)
  }

  async function expectLive(store = world.store): Promise<void> {
    for (const [id, bytes] of world.live) {
      expect(await store.size(id)).toBe(bytes.length)
      expect((await readAll(store, id, bytes.length)).equals(bytes)).toBe(true)
    }
  }

  async function expectMoved(): Promise<void> {
    await expectLive(targetStore())
    const stored: string[] = []
    for await (const id of targetStore().listStored()) stored.push(id)
    expect(stored.toSorted()).toEqual([...world.live.keys()].toSorted())
    for await (const id of sourceStore().listStored()) expect(id).toBe('at the target')
    const moving = join(world.dataDir, 'moving')
    expect(existsSync(moving) ? readdirSync(moving) : []).toEqual([])
    expect(await world.bucket.uploads()).toBe(0)
    expect(await world.rows().begun()).toEqual([])
    const keys = await world.bucket.keys()
    expect(keys.filter((key) => !key.startsWith('objects/'))).toEqual([])
    expect(keys.length).toBe(target === 'BUCKET' ? world.live.size : 0)
  }

  it('moves objects of every size, and compares each', async () => {
    for (const size of [0, 1, PART - 1, PART, 3 * PART + 5]) await put(randomBytes(size))
    expect(await move()).toMatchObject({ objects: 5, bytes: 5 * PART + 5, deleted: 0, unknown: 0, problems: [] })
    await expectMoved()
  })

  it.each(['before', 'after'] as const)('loses nothing when it is killed %s any of its steps', async (when) => {
    world = await createWorld(quick)
    let steps = 0
    for (let at = 1; ; at += 1) {
      for (const id of world.live.keys()) await world.store.delete(id)
      world.live.clear()
      for (const size of [10, PART + 7]) await put(randomBytes(size))
      const crash = createCrash(at, when)
      await move(crash).catch(() => undefined)
      steps = crash.steps
      await expectLive()
      // A user deletes a file before the next run: also one whose copy was being made.
      const [gone] = [...world.live.keys()].toSorted()
      if (at % 2 === 0 && gone) {
        world.live.delete(gone)
        await world.store.delete(gone)
      }
      await expectLive()
      expect((await move()).problems).toEqual([])
      await expectMoved()
      if (!crash.died) break
    }
    expect(steps).toBeGreaterThan(15)
  })

  it('brings nothing back that is deleted while it is copied, whenever that is', async () => {
    world = await createWorld(quick)
    const bytes = randomBytes(PART + 3)
    let steps = Number.POSITIVE_INFINITY
    const stores = () => [world.disk, world.inBucket, world.disk]
    for (let first = 1; first <= steps; first += 1) {
      for (let second = first; second <= Math.min(steps, first + 4); second += 2) {
        const id = await put(bytes)
        const kept = await put(randomBytes(20))
        // The rows are gone, or marked, before the bytes of a file are deleted.
        const parts = stores().map((store) => () => store.delete(id))
        let step = 0
        const at = async () => {
          step += 1
          if (step === first) world.live.delete(id)
          if (step === first) await parts.shift()?.()
          if (step === second) for (const part of parts.splice(0, first % 2 === 0 ? 1 : 2)) await part()
        }
        const watching: Crash = { ...createCrash(Number.POSITIVE_INFINITY, 'before'), step: (act) => at().then(act) }
        const { problems } = await move(watching)
        for (const part of parts.splice(0)) await part()
        steps = Math.max(step, steps === Number.POSITIVE_INFINITY ? 0 : steps)
        world.live.delete(id)
        expect(problems).toEqual([])
        expect(await world.store.size(id)).toBeNull()
        await expectMoved()
        world.live.delete(kept)
        await world.store.delete(kept)
      }
    }
    expect(steps).toBeGreaterThan(10)
  })

  it('leaves an object at the source whose copy the target changes', async () => {
    const id = await put(randomBytes(PART + 9))
    const damaging = (receiving: Receiving): Receiving => ({
      ...receiving,
      write(chunk) {
        const other = Buffer.from(chunk)
        other[3] = (other[3] ?? 0) ^ 1
        return receiving.write(other)
      },
    })
    const moving = move(undefined, (places) => {
      const place = places[target]
      places[target] = { ...place, receive: (each) => damaging(place.receive(each)) }
    })
    await expect(moving).rejects.toThrow(TargetError)
    await expectLive()
    await expectLive(sourceStore())
    expect(await targetStore().size(id)).toBeNull()
    await move()
    await expectMoved()
  })

  it('reports a damaged and an unreadable object, moves the others, and copies neither', async () => {
    const [damaged, unreadable, short] = [
      await put(randomBytes(50)),
      await put(randomBytes(60)),
      await put(randomBytes(70)),
    ]
    const good = await put(randomBytes(80))
    world.live.set(damaged, randomBytes(50))
    world.live.set(short, randomBytes(71))
    const { problems, objects } = await move(undefined, (places) => {
      const place = places[source]
      const open: MovePlace['store']['open'] = (id, size) => {
        const content = place.store.open(id, size)
        if (id !== unreadable) return content
        const fail = async (): Promise<never> => {
          throw new Error('EIO: i/o error, read')
        }
        return { ...content, open: fail, read: () => failing() }
      }
      places[source] = { ...place, store: { ...place.store, open } }
    })
    expect(objects).toBe(1)
    expect(new Map(problems.map(({ id, reason }) => [id, reason]))).toEqual(
      new Map([
        [damaged, expect.stringContaining('damaged')],
        [unreadable, expect.stringContaining('EIO')],
        [short, expect.stringContaining('70 bytes, and not 71')],
      ]),
    )
    for (const id of [damaged, unreadable, short]) {
      expect(await sourceStore().size(id)).not.toBeNull()
      expect(await targetStore().size(id)).toBeNull()
    }
    expect(await targetStore().size(good)).toBe(80)
  })

  it('stops when the target is full, and continues when there is room', async () => {
    for (let count = 0; count < 5; count += 1) await put(randomBytes(100))
    let room = 2
    const moving = move(undefined, (places) => {
      const place = places[target]
      const filling = (receiving: Receiving): Receiving => ({
        ...receiving,
        async finish() {
          if (room === 0) throw new DiskFullError(null)
          room -= 1
          return receiving.finish()
        },
      })
      places[target] = { ...place, receive: (id) => filling(place.receive(id)) }
    })
    await expect(moving).rejects.toThrow(DiskFullError)
    await expectLive()
    expect(await move()).toMatchObject({ objects: 3 })
    await expectMoved()
  })

  it('keeps the copy when the source has lost an object that a file has', async () => {
    const id = await put(randomBytes(40))
    const lost = async (place: MovePlace) => {
      // Between the copy and the look at the source.
      await sourceStore().delete(id)
      return place.store.size(id)
    }
    await move(undefined, (places) => {
      const place = places[source]
      places[source] = { ...place, store: { ...place.store, size: () => lost(place) } }
    })
    await expectMoved()
  })

  it('is one store for servers, wherever an object is', async () => {
    const { store } = world
    const before = await put(randomBytes(2 * PART))
    const after = await put(randomBytes(30), store)
    expect(await targetStore().size(after)).toBe(30)
    await expectLive()
    const listed: string[] = []
    for await (const id of store.listStored()) listed.push(id)
    expect(listed.toSorted()).toEqual([before, after].toSorted())
    // An upload that was begun at the source is continued and published there.
    const [upload, bytes] = [randomUUID(), randomBytes(3 * PART)]
    const begun = await sourceStore().stage(upload, 0)
    await begun.write(bytes.subarray(0, PART + 1))
    await begun.sync()
    await begun.close()
    expect(await store.stagedSize(upload)).toBe(PART + 1)
    const next = await store.stage(upload, PART + 1)
    await next.write(bytes.subarray(PART + 1))
    await next.sync()
    await next.close()
    expect(await store.listStaged()).toEqual([upload])
    await store.publish(upload)
    world.live.set(upload, bytes)
    expect(await sourceStore().size(upload)).toBe(bytes.length)
    expect(await move()).toMatchObject({ objects: 2 })
    await store.publish(upload)
    await expectMoved()
    await expect(store.publish(randomUUID())).rejects.toThrow(ObjectMissingError)
    for (const id of world.live.keys()) await store.delete(id)
    world.live.clear()
    await expectMoved()
  })

  it('lets a reader finish whose object is moved during the read', async () => {
    const bytes = randomBytes(4 * PART)
    const id = await put(bytes)
    const reader = await world.store.open(id, bytes.length).open()
    const read = Buffer.alloc(bytes.length)
    let position = await reader.read(read.subarray(0, 100), 0)
    await move()
    await expectMoved()
    // Not where the last one ended: a bucket is asked again.
    position = 1000
    bytes.copy(read, 0, 0, position)
    while (position < bytes.length) position += await reader.read(read.subarray(position), position)
    await reader.close()
    expect(read.equals(bytes)).toBe(true)
  })

  it('notices a folder that is not mounted any more', async () => {
    if (source !== 'DISK') return
    await put(randomBytes(10))
    const { DISK } = await world.places()
    writeFileSync(join(world.dataDir, 'objects', 'folder.id'), randomUUID())
    await expect(listAll(DISK)).rejects.toThrow('is not there any more')
  })

  it('notices a bucket that is the same folder', async () => {
    const { place } = world.bucket
    expect(await isSameStorage(place)).toBe(false)
    const bytes = Buffer.from(await idOfFolder(world.dataDir))
    const md5 = createHash('md5').update(bytes).digest()
    await createS3Objects(createS3Client({ bucket: place })).put(`${place.prefix}/objects/folder.id`, {
      chunks: [bytes],
      md5,
    })
    expect(await isSameStorage(place)).toBe(true)
  })
})

async function listAll(place: MovePlace): Promise<void> {
  for await (const { id } of place.list()) expect(id).not.toBe('')
}

async function* failingBytes(): AsyncGenerator<Buffer> {
  yield Buffer.alloc(1)
  throw new Error('EIO: i/o error, read')
}

const failing = () => Readable.from(failingBytes())

function dying(client: S3Client, crash: Crash): S3Client {
  return {
    ...client,
    open: (request) => crash.step(() => client.open(request)),
    send: (request) => crash.step(() => client.send(request)),
    ask: (request) => crash.step(() => client.ask(request)),
  }
}

function mortal(place: MovePlace, crash: Crash): MovePlace {
  const { store } = place
  return {
    ...place,
    clear: (ids) => crash.step(() => place.clear(ids)),
    store: {
      ...store,
      size: (id) => crash.step(() => store.size(id)),
      delete: (id) => crash.step(() => store.delete(id)),
    },
    receive(id) {
      const receiving = place.receive(id)
      return {
        ...receiving,
        write: (chunk) => crash.step(() => receiving.write(chunk)),
        finish: () => crash.step(() => receiving.finish()),
        publish: () => crash.step(() => receiving.publish()),
        drop: () => crash.step(() => receiving.drop()),
      }
    },
  }
}
