import { spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../../../../server/db/embedded/embeddedPostgres.ts'
import { migrate, readMigrations } from '../../../../server/db/migrate.ts'
import { createPool } from '../../../../server/db/pool.ts'
import { createStagedRows } from '../../../../server/db/stagedObjects.ts'
import { createSemaphore } from '../../../../server/lib/concurrency.ts'
import type { ObjectStore } from '../../../../server/storage/objectStore.ts'
import { createS3Client } from '../../../../server/storage/s3/client.ts'
import { bodyOf, createS3Objects } from '../../../../server/storage/s3/objects.ts'
import { createS3Store } from '../../../../server/storage/s3/store.ts'
import { prepareStore, startStore } from '../../../fakes/s3/store.ts'
import { makeBucket, type TestBucket } from '../../../setup/bucket.ts'
import type { Line } from '../context.ts'
import { interleave, type Result } from '../measure.ts'
import type { RcloneSizes } from './rclone.ts'

const MIB = 1024 * 1024
/** Requests at a time, of small files. */
const TRANSFERS = 8
const RCLONE = '/usr/bin/rclone'

/**
 * The store of a bucket at Swift or Ceph (`S3_SERVER`): a large file against rclone, small ones against bare PUTs that are signed and have an MD5. The store
 * writes its rows into PostgreSQL and hashes with SHA-256, as an upload does.
 */
export async function storeRows({ dir, rounds, large, small }: RcloneSizes): Promise<Line[]> {
  const missing = await prepareStore()
  if (missing !== null) throw new Error(missing)
  const postgres = await startEmbeddedPostgres({ dataDir: dir, log: () => undefined })
  await migrate(postgres.connection, readMigrations('prisma/migrations'))
  const pool = createPool(postgres.connection)
  const server = await startStore()
  try {
    const bucket = await makeBucket(server)
    const store = createS3Store({ place: bucket.place, rows: createStagedRows(pool) })
    const [name = ''] = readdirSync(large)
    const file = join(large, name)
    return [
      ...(await largeFile(store, bucket, { file, folder: large, dir, rounds })),
      await smallFiles(store, bucket, small, rounds),
    ]
  } finally {
    await server.close()
    await pool.end()
    await postgres.stop()
  }
}

type Large = { readonly file: string; readonly folder: string; readonly dir: string; readonly rounds: number }

async function largeFile(
  store: ObjectStore,
  bucket: TestBucket,
  { file, folder, dir, rounds }: Large,
): Promise<Line[]> {
  const { size } = statSync(file)
  const remote = `:s3:${bucket.place.bucket}/rclone`
  const rclone = (...args: string[]) => runRclone(bucket, args)
  const put = async (): Promise<string> => {
    const id = randomUUID()
    await write(store, id, createReadStream(file, { highWaterMark: 64 * 1024 }))
    return id
  }
  const up = await interleave(
    [
      { name: 'skypool', run: () => timed(put, (id) => store.delete(id)) },
      {
        name: 'rclone',
        run: () =>
          timed(
            () => rclone('copy', folder, remote),
            () => rclone('purge', remote),
          ),
      },
    ],
    rounds,
  )
  const id = await put()
  await rclone('copy', folder, remote)
  const down = await interleave(
    [
      { name: 'skypool', run: () => timed(() => readAll(store, id, size)) },
      { name: 'rclone', run: () => timed(() => rclone('copy', remote, join(dir, 'received'), '--ignore-times')) },
    ],
    rounds,
  )
  await store.delete(id)
  const what = `${size / MIB} MiB`
  return [line(`PUT ${what} into a bucket (rclone)`, up, 2), line(`GET ${what} from a bucket (rclone)`, down, 1.5)]
}

async function smallFiles(store: ObjectStore, bucket: TestBucket, folder: string, rounds: number): Promise<Line> {
  const contents = readdirSync(folder).map((name) => readFileSync(join(folder, name)))
  const objects = createS3Objects(createS3Client({ bucket: bucket.place }))
  const each = (work: (bytes: Buffer) => Promise<unknown>): Promise<unknown> => {
    const inTurn = createSemaphore(TRANSFERS)
    return Promise.all(contents.map((bytes) => inTurn(() => work(bytes))))
  }
  const results = await interleave(
    [
      { name: 'skypool', run: () => timed(() => each((bytes) => write(store, randomUUID(), [bytes]))) },
      { name: 'bare', run: () => timed(() => each((bytes) => objects.put(`bare/${randomUUID()}`, bodyOf(bytes)))) },
    ],
    rounds,
  )
  return line(`PUT ${contents.length} x 64 KiB into a bucket (bare PUTs)`, results, 0.7)
}

async function write(store: ObjectStore, id: string, chunks: AsyncIterable<Buffer> | readonly Buffer[]): Promise<void> {
  const writer = store.create(id)
  const hash = createHash('sha256')
  for await (const chunk of chunks) {
    hash.update(chunk)
    await writer.write(chunk)
  }
  await writer.sync()
  if (!(await writer.exists())) throw new Error('What was stored is not there.')
  await writer.close()
  await store.publish(id)
}

async function readAll(store: ObjectStore, id: string, size: number): Promise<void> {
  let received = 0
  for await (const chunk of store.open(id, size).read(0, size - 1)) received += (chunk as Buffer).length
  if (received !== size) throw new Error(`${received} of ${size} bytes were read.`)
}

/** Seconds of `work`; what has to be undone is not counted. */
async function timed<Value>(work: () => Promise<Value>, undo?: (value: Value) => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  const value = await work()
  const seconds = (performance.now() - startedAt) / 1000
  await undo?.(value)
  return seconds
}

function line(measure: string, results: readonly Result[], bar: number): Line {
  const [ours, theirs] = results
  if (!ours || !theirs) throw new Error('There are no results.')
  const ratio = theirs.median.seconds / ours.median.seconds
  const told = results.map(({ name, median, min, max }) => {
    return `${name} ${median.seconds.toFixed(2)} s (${min.toFixed(2)}..${max.toFixed(2)})`
  })
  const figure = `${ratio.toFixed(2)}  [${told.join(', ')}]`
  return { row: 20, measure, figure, bar: bar.toFixed(2), goal: '-', met: ratio >= bar }
}

async function runRclone({ place }: TestBucket, args: readonly string[]): Promise<void> {
  const env = {
    PATH: process.env.PATH,
    HOME: tmpdir(),
    RCLONE_CONFIG: '/dev/null',
    RCLONE_S3_PROVIDER: 'Other',
    RCLONE_S3_ENDPOINT: place.endpoint,
    RCLONE_S3_REGION: place.region,
    RCLONE_S3_ACCESS_KEY_ID: place.accessKey,
    RCLONE_S3_SECRET_ACCESS_KEY: place.secretKey,
  }
  const child = spawn(RCLONE, args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`rclone ${args[0]} ended with ${code}.`)
}
