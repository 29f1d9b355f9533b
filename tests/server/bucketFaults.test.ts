import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createStagedRows } from '../../server/db/stagedObjects.ts'
import { troubleOf } from '../../server/lib/trouble.ts'
import { DiskFullError } from '../../server/storage/errors.ts'
import type { ObjectStore } from '../../server/storage/objectStore.ts'
import { createS3Client } from '../../server/storage/s3/client.ts'
import { type BucketPlace, createS3Store } from '../../server/storage/s3/store.ts'
import type { ServiceFault } from '../conformance/harness.ts'
import { type FaultProxy, startFaultProxy } from '../fakes/s3/faultProxy.ts'
import { prepareStore, startStore } from '../fakes/s3/store.ts'
import type { S3Server } from '../fakes/s3/swift.ts'
import { makeBucket, type TestBucket } from '../setup/bucket.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'

// What networks and services do wrong, between the store and its bucket.

const PART = 64 * 1024

const missingStore = await prepareStore()

describe.skipIf(missingStore !== null)('a bucket behind a bad network', () => {
  let swift: S3Server
  let proxy: FaultProxy
  let bucket: TestBucket
  let place: BucketPlace
  let database: TestDatabase
  let store: ObjectStore
  let impatient: ObjectStore
  beforeAll(async () => {
    ;[swift, database] = await Promise.all([startStore(), createTestDatabase()])
    proxy = await startFaultProxy({ target: swift.endpoint, store: async () => undefined })
    bucket = await makeBucket(swift)
    place = { ...bucket.place, endpoint: proxy.endpoint }
    const common = { place, rows: createStagedRows(database.pool), limits: { partBytes: PART } }
    store = createS3Store(common)
    impatient = createS3Store({ ...common, client: createS3Client({ bucket: place, retryMs: 0 }) })
  })
  afterAll(async () => {
    await proxy?.close()
    await swift?.close()
    await database?.close()
  })

  const faults: readonly ServiceFault[] = [
    { kind: 'rateLimit', retryAfterMs: 1 },
    { kind: 'serverError' },
    { kind: 'reset' },
    { kind: 'cutUp', afterBytes: PART / 2 },
    { kind: 'lostReply' },
    { kind: 'cutDown', afterBytes: 1000 },
    { kind: 'shortBody', bytes: 1000 },
  ]

  async function write(by: ObjectStore, id: string, bytes: Buffer): Promise<void> {
    const writer = await by.stage(id, 0)
    try {
      await writer.write(bytes)
      await writer.sync()
    } finally {
      await writer.close()
    }
  }

  it.each(faults)('stores and reads what is whole, after $kind', async (fault) => {
    for (const size of [1000, 3 * PART + 10]) {
      const [id, bytes] = [randomUUID(), randomBytes(size)]
      proxy.plan(fault)
      await write(store, id, bytes)
      proxy.plan(fault)
      await store.publish(id)
      proxy.plan(fault)
      const source = store.open(id, size)
      const found = Buffer.concat(await source.read(0, size - 1).toArray())
      expect(found.equals(bytes)).toBe(true)
      proxy.reset()
      await store.delete(id)
    }
  })

  it('deletes once more what the service said it had deleted soon after it failed', async () => {
    const client = createS3Client({ bucket: place })
    let isLying = false
    const lying: typeof client = {
      ...client,
      send: (request) =>
        isLying && request.operation === 'delete' ? Promise.resolve({ headers: {}, text: '' }) : client.send(request),
    }
    const common = { place, rows: createStagedRows(database.pool), limits: { partBytes: PART }, repeatsDeletions: true }
    const careful = createS3Store({ ...common, client: lying })
    const [trusted, id, staged] = [randomUUID(), randomUUID(), randomUUID()]
    for (const each of [trusted, id, staged]) await write(careful, each, randomBytes(1000))
    for (const each of [trusted, id]) await careful.publish(each)
    await careful.delete(trusted)
    expect(await careful.listStaged()).not.toContain(trusted)

    proxy.plan({ kind: 'serverError' })
    expect(await careful.size(id)).toBe(1000)
    isLying = true
    await careful.delete(id)
    await database.pool.query("update staged_objects set touched_at = touched_at - interval '1 hour'")
    await careful.discard(staged)
    const next = createS3Store(common)
    const stored = async () => (await bucket.keys()).map((key) => key.slice(-36))
    expect(await stored()).toEqual(expect.arrayContaining([id, staged]))
    expect([await next.size(id), await next.stagedSize(id)]).toEqual([null, null])
    expect(await next.listStaged()).toEqual(expect.arrayContaining([id, staged]))

    // A sweep.
    await database.pool.query("update staged_objects set touched_at = touched_at - interval '1 hour'")
    for (const each of await next.listStaged()) await next.discard(each)
    expect(await stored()).not.toEqual(expect.arrayContaining([id]))
    expect(await stored()).not.toEqual(expect.arrayContaining([staged]))
    expect(await next.listStaged()).toEqual([])
  })

  it('says that the bucket is full, or does not answer', async () => {
    proxy.set('full')
    await expect(write(store, randomUUID(), randomBytes(10))).rejects.toThrow(DiskFullError)
    proxy.reset()
    proxy.plan({ kind: 'serverError' })
    const error = await write(impatient, randomUUID(), randomBytes(10)).catch((thrown: unknown) => thrown)
    expect(troubleOf(error)).toMatchObject({ kind: 'BUCKET' })
    proxy.reset()
  })
})
