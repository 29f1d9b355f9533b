import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createStagedRows } from '../../server/db/stagedObjects.ts'
import { readStorageMove } from '../../server/db/storageMoves.ts'
import { readConfig } from '../../server/env.ts'
import { requireStorage } from '../../server/openStorage.ts'
import { createObjectStore, type ObjectStore } from '../../server/storage/objectStore.ts'
import { createS3Store } from '../../server/storage/s3/store.ts'
import { runStorageMove, type StorageMoveOptions } from '../../server/storageMove.ts'
import { startS3Emulator } from '../fakes/s3/emulator.ts'
import type { S3Server } from '../fakes/s3/swift.ts'
import { makeBucket, type TestBucket } from '../setup/bucket.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'

// What the command refuses, before and after servers and objects are where they should be.

let service: S3Server
let database: TestDatabase
let bucket: TestBucket
let disk: ObjectStore
let inBucket: ObjectStore
const dataDir = mkdtempSync(join(tmpdir(), 'skypool-move-'))
beforeAll(async () => {
  ;[service, database] = await Promise.all([startS3Emulator(), createTestDatabase()])
  bucket = await makeBucket(service)
  disk = await createObjectStore(dataDir)
  inBucket = createS3Store({ place: bucket.place, rows: createStagedRows(database.pool) })
})
afterAll(async () => {
  await service?.close()
  await database?.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const toBucket = () => ({ bucket: bucket.place, storageFrom: 'disk' as const })
const toDisk = () => ({ bucket: null, storageFrom: bucket.place })

function move(
  places: Pick<StorageMoveOptions['config'], 'bucket' | 'storageFrom'>,
  more: Partial<StorageMoveOptions> = {},
) {
  return runStorageMove({
    config: { dataDir, diskReserveBytes: 0, ...places },
    pool: database.pool,
    parallel: 4,
    isDryRun: false,
    patienceMs: 0,
    signal: new AbortController().signal,
    say: () => {},
    onProgress: () => {},
    ...more,
  })
}

async function put(store: ObjectStore, publishes = true): Promise<string> {
  const id = randomUUID()
  const writer = await store.stage(id, 0)
  await writer.write(randomBytes(100))
  await writer.sync()
  await writer.close()
  if (publishes) await store.publish(id)
  return id
}

it('names the settings that it needs', async () => {
  await expect(move({ bucket: null, storageFrom: null })).rejects.toThrow('STORAGE_FROM=disk and STORAGE_URL')
})

it('says what is wrong with the address or the key of the bucket', async () => {
  const wrong = { ...bucket.place, bucket: 'no-such-bucket' }
  await expect(move({ bucket: wrong, storageFrom: 'disk' })).rejects.toThrow(/STORAGE_URL: The bucket "no-such-bucket"/)
  await expect(move({ bucket: null, storageFrom: wrong })).rejects.toThrow(/STORAGE_FROM: The bucket/)
  const stranger = { ...bucket.place, secretKey: 'another' }
  await expect(move({ bucket: stranger, storageFrom: 'disk' })).rejects.toThrow(/STORAGE_URL: .*refuses the access key/)
})

it('refuses a target with objects of another installation', async () => {
  const foreign = await put(inBucket)
  await expect(move(toBucket())).rejects.toThrow('is not empty: it has 1 object that belong to no file')
  expect(await readStorageMove(database.pool)).toBeNull()
  await inBucket.delete(foreign)
})

it('counts without moving anything', async () => {
  const id = await put(disk)
  const said: string[] = []
  await move(toBucket(), { isDryRun: true, say: (line) => said.push(line) })
  expect(said.join()).toContain('has 1 object, 100 Bytes. They are moved to the bucket')
  expect(await readStorageMove(database.pool)).toBeNull()
  expect(await disk.size(id)).toBe(100)
})

it('leaves uploads in progress, and does not say that it has finished', async () => {
  const upload = await put(disk, false)
  const left = await move(toBucket())
  expect(left).toMatchObject({ objects: 1, uploads: 1, unknown: 1, isFinished: false })
  expect(await disk.stagedSize(upload)).toBe(100)
  // A server with one storage would miss half of the files.
  const alone = { ...readConfig({}), dataDir }
  await expect(requireStorage(database.pool, alone, null)).rejects.toThrow('Files are being moved from the disk to')
  await disk.publish(upload)
  expect(await move(toBucket())).toMatchObject({ objects: 1, uploads: 0, isFinished: true })
  await expect(requireStorage(database.pool, alone, null)).rejects.toThrow('were moved to the bucket')
  await expect(requireStorage(database.pool, { ...alone, bucket: bucket.place }, null)).resolves.toBeUndefined()
})

it('refuses servers that use other storages, and a second command', async () => {
  // A server is known by its connections.
  const id = randomUUID()
  const server = new pg.Pool({ ...database.connection, max: 1, application_name: `skypool-events ${id}` })
  const connection = await server.connect()
  await database.pool.query('insert into servers (id) values ($1)', [id])
  await expect(move(toDisk())).rejects.toThrow('A server is running without these settings')
  connection.release()
  await server.end()
  // It was killed, and its row is still there.
  const both = await Promise.allSettled([move(toDisk()), move(toDisk())])
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { message: 'Another "npm run move-storage" is running on this database.' },
  })
  expect(await bucket.keys()).toEqual([])
  const stored: string[] = []
  for await (const each of disk.listStored()) stored.push(each)
  expect(stored.length).toBe(2)
})

it('has settings that fit each other', () => {
  const s3 = 's3://key:secret@s3.example.org/files'
  const key = { SECRET_KEY: 'a key for tests that is long enough 0123456789' }
  expect(() => readConfig({ STORAGE_FROM: 'disk', ...key })).toThrow('STORAGE_FROM=disk needs STORAGE_URL')
  expect(() => readConfig({ STORAGE_FROM: s3, STORAGE_URL: s3, ...key })).toThrow('STORAGE_FROM must be disk')
  expect(() => readConfig({ STORAGE_FROM: s3 })).toThrow('SECRET_KEY must be set together with STORAGE_FROM')
  expect(() => readConfig({ STORAGE_FROM: 'tape', ...key })).toThrow('STORAGE_FROM must be disk, or a bucket')
  expect(readConfig({ STORAGE_FROM: s3, ...key })).toMatchObject({ bucket: null, storageFrom: { bucket: 'files' } })
  expect(readConfig({ STORAGE_FROM: 'disk', STORAGE_URL: s3, ...key })).toMatchObject({ storageFrom: 'disk' })
})
