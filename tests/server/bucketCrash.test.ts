import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createStagedRows } from '../../server/db/stagedObjects.ts'
import { ObjectMissingError } from '../../server/storage/errors.ts'
import type { ObjectStore } from '../../server/storage/objectStore.ts'
import { createS3Client, type S3Client } from '../../server/storage/s3/client.ts'
import { createS3Store } from '../../server/storage/s3/store.ts'
import { startS3Emulator } from '../fakes/s3/emulator.ts'
import { prepareStore, startStore } from '../fakes/s3/store.ts'
import type { S3Server } from '../fakes/s3/swift.ts'
import { makeBucket, type TestBucket } from '../setup/bucket.ts'
import { type Crash, createCrash } from '../setup/crashing.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'

// A server dies between any two calls to the bucket or the database; another one continues.

const PART = 64 * 1024
/** Also old enough to be swept: whatever the clocks of the test service and of this machine say. */
const limits = { partBytes: PART, maxParts: 3, copyBytes: 2 * PART, leftOverMs: -60_000 }

/** Of the requests that the content arrives in: below a part, above one, and more parts than one upload takes. */
const SIZES = [1000, PART, 3 * PART + 700]

const missingStore = await prepareStore()

const stores = [
  { name: 'a store', missing: missingStore, start: startStore, whens: ['before', 'after'] },
  {
    name: 'a store that wants every part named',
    missing: null,
    start: () => startS3Emulator({ wantsEveryPart: true, minPartBytes: PART }),
    whens: ['after'],
  },
] as const

describe.each(stores)('a staged object in $name, whose server dies', ({ missing, start, whens }) => {
  let server: S3Server
  let database: TestDatabase
  let bucket: TestBucket
  let other: ObjectStore
  beforeAll(async () => {
    if (missing !== null) return
    ;[server, database] = await Promise.all([start(), createTestDatabase()])
    bucket = await makeBucket(server)
    other = createS3Store({ place: bucket.place, rows: createStagedRows(database.pool), limits })
  })
  afterAll(async () => {
    await server?.close()
    await database?.close()
  })

  const test = it.skipIf(missing !== null)

  function mortal(crash: Crash): ObjectStore {
    const client = createS3Client({ bucket: bucket.place })
    const dying: S3Client = {
      ...client,
      open: (request) => crash.step(() => client.open(request)),
      send: (request) => crash.step(() => client.send(request)),
      ask: (request) => crash.step(() => client.ask(request)),
    }
    return createS3Store({
      place: bucket.place,
      rows: createStagedRows(crash.pool(database.pool)),
      limits,
      client: dying,
    })
  }

  const writes = async (store: ObjectStore, id: string, bytes: Buffer, acknowledge: (size: number) => void) => {
    let at = 0
    for (const size of SIZES) {
      const writer = await store.stage(id, at)
      try {
        await writer.write(bytes.subarray(at, at + size))
        await writer.sync()
        at += size
        acknowledge(at)
      } finally {
        await writer.close()
      }
    }
    await store
      .open(id, at)
      .read(0, at - 1)
      .toArray()
    await store.publish(id)
  }

  async function readAll(id: string, size: number): Promise<Buffer> {
    return Buffer.concat(
      await other
        .open(id, size)
        .read(0, size - 1)
        .toArray(),
    )
  }

  test.each(whens)('%s any of its steps, is continued by another one', async (when) => {
    const size = SIZES.reduce((sum, each) => sum + each)
    let steps = 0
    for (let at = 1; ; at += 1) {
      const [id, bytes] = [randomUUID(), randomBytes(size)]
      const crash = createCrash(at, when)
      let acknowledged = 0
      await writes(mortal(crash), id, bytes, (to) => {
        acknowledged = to
      }).catch(() => undefined)
      steps = crash.steps
      const staged = await other.stagedSize(id)
      if (staged !== null || acknowledged === 0) {
        const durable = staged ?? 0
        expect(durable).toBeGreaterThanOrEqual(acknowledged)
        // The first attempt may only find out that the parts are one object by now.
        const writer = await other.stage(id, durable)
        await writer.write(bytes.subarray(durable))
        await writer
          .sync()
          .then(() => writer.close())
          .catch(async () => {
            await writer.close()
            const again = await other.stage(id, durable)
            await again.write(bytes.subarray(durable))
            await again.sync()
            await again.close()
          })
      }
      expect((await readAll(id, size)).equals(bytes)).toBe(true)
      await other.publish(id)
      expect((await readAll(id, size)).equals(bytes)).toBe(true)
      await other.delete(id)
      if (!crash.died) break
    }
    expect(steps).toBeGreaterThan(20)
    expect(await other.listStaged()).toEqual([])
    await other.sweep(new AbortController().signal)
    expect(await bucket.keys()).toEqual([])
    expect(await bucket.uploads()).toBe(0)
  })

  test('while it deletes it, is finished by the sweep', async () => {
    for (let at = 1; ; at += 1) {
      const id = randomUUID()
      const writer = await other.stage(id, 0)
      await writer.write(randomBytes(2 * PART + 5))
      await writer.sync()
      await writer.close()
      const crash = createCrash(at, 'before')
      await mortal(crash)
        .discard(id)
        .catch(() => undefined)
      for (const left of await other.listStaged()) await other.discard(left)
      await expect(other.publish(id)).rejects.toThrow(ObjectMissingError)
      if (!crash.died) break
    }
    expect(await bucket.keys()).toEqual([])
  })

  test('and comes back later, cannot change what another one has written', async () => {
    const [id, bytes] = [randomUUID(), randomBytes(6 * PART)]
    const store = createS3Store({ place: bucket.place, rows: createStagedRows(database.pool), limits })
    const frozen = await store.stage(id, 0)
    await frozen.write(bytes.subarray(0, PART + 5))
    await frozen.sync()
    const writer = await other.stage(id, PART + 5)
    await writer.write(bytes.subarray(PART + 5))
    await writer.sync()
    await writer.close()
    await frozen.write(randomBytes(2 * PART)).catch(() => undefined)
    await expect(frozen.sync()).rejects.toThrow()
    await frozen.close()
    expect((await readAll(id, bytes.length)).equals(bytes)).toBe(true)
    await other.publish(id)
    expect((await readAll(id, bytes.length)).equals(bytes)).toBe(true)
    await other.delete(id)
  })
})
