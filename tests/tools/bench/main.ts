// npm run bench -- [--rounds 3] [--rows downloads,uploads,lists,archive,heavy,trees,process,pool-read,pool-write,pool-memory,
//   pool-small,contents,index,inPlaceLists,inPlaceFeed,walk,servers,rclone,store]
// Of pools: [--speed 16] MiB/s of each account, [--size 256] MiB, [--files 10000], [--latency 0] ms of every call.
// Of accounts with files in place: [--entries 1000000]. [--data FOLDER] keeps the rows of inPlaceLists there: to write millions takes
// longer than to measure them, and the next run with the same folder and number finds them.
// Of several servers: [--streams 1000] live streams.
// Of the drivers against rclone, and of the store of a bucket: [--megabytes 1024] of the large file, [--small 1000] files of 64 KiB,
//   [--services sftp,webdav,amazon-s3].
// [--workers 2] runs Skypool and the Node references of the rows downloads, uploads and lists in so many processes each.
// Prints Skypool's speed as a ratio of a named reference that is measured in the same run, alternating with it. Needs nginx, wrk and curl.
// Row 5 wants a disk from which thousands of files were not deleted in the last six minutes (ext4 steps over each inode that was freed
// so shortly before, for every file that is made): not right after another run.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startEmbeddedPostgres } from '../../../server/db/embedded/embeddedPostgres.ts'
import { createPool } from '../../../server/db/pool.ts'
import type { Bench, Line } from './context.ts'
import { machine } from './measure.ts'
import { type PoolBench, withPools } from './pools.ts'
import { startNginx, startNodeReference } from './references.ts'
import { printLine } from './report.ts'
import { contentRows } from './rows/contents.ts'
import { downloadRows } from './rows/downloads.ts'
import { archiveRows, heavyRows } from './rows/heavy.ts'
import { indexRows, inPlaceFeed, inPlaceLists } from './rows/inPlace.ts'
import { listRows } from './rows/lists.ts'
import { poolSmall } from './rows/poolSmall.ts'
import { poolMemory, poolRead, poolWrite } from './rows/pools.ts'
import { processRows } from './rows/process.ts'
import { rcloneRows, writeFiles } from './rows/rclone.ts'
import { serversRows } from './rows/servers.ts'
import { storeRows } from './rows/store.ts'
import { treeRows } from './rows/trees.ts'
import { uploadRows } from './rows/uploads.ts'
import { walkRows } from './rows/walk.ts'
import { remember } from './seed.ts'
import { Client, startSkypool } from './skypool.ts'

const MIB = 1024 * 1024
const SETTINGS = { UPLOAD_TYPES: '*', LOCAL_QUOTA: '1TB' }

type Rows = (dir: string) => Promise<Line[]>

const groups: Record<string, Rows> = {
  process: standard((bench, bigFile) => processRows(bench, bigFile, SETTINGS)),
  downloads: standard(downloadRows),
  uploads: standard(uploadRows),
  lists: standard(listRows),
  contents: (own) => withBench(own, 1, contentRows),
  archive: (own) => withBench(own, 1, archiveRows),
  heavy: (own) => withBench(own, 1, heavyRows),
  trees: standard(treeRows),
  'pool-read': pooled(poolRead),
  'pool-write': pooled(poolWrite),
  'pool-memory': pooled(poolMemory),
  'pool-small': pooled(poolSmall),
  index: (own) => indexRows({ dir: own, entries: Number(values.entries) }),
  inPlaceLists: (own) => withBench(own, Number(values.rounds), (bench) => inPlaceLists(bench, Number(values.entries))),
  inPlaceFeed: (own) => inPlaceFeed({ dir: own }),
  walk: (own) => walkRows({ dir: own, entries: Number(values.entries) }),
  servers: (own) =>
    serversRows({ dir: own, rounds: Number(values.rounds), settings: SETTINGS, streams: Number(values.streams) }),
  rclone: (own) => {
    const files = writeFiles(own, Number(values.megabytes), Number(values.small), writeRandom)
    const services = values.services === undefined ? [] : values.services.split(',')
    return rcloneRows({ dir: own, rounds: Number(values.rounds), ...files }, services)
  },
  store: (own) => {
    const files = writeFiles(own, Number(values.megabytes), Number(values.small), writeRandom)
    return storeRows({ dir: own, rounds: Number(values.rounds), ...files })
  },
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    rows: { type: 'string', default: Object.keys(groups).join(',') },
    speed: { type: 'string', default: '16' },
    size: { type: 'string', default: '256' },
    files: { type: 'string', default: '10000' },
    latency: { type: 'string', default: '0' },
    entries: { type: 'string', default: '1000000' },
    data: { type: 'string' },
    streams: { type: 'string', default: '1000' },
    megabytes: { type: 'string', default: '1024' },
    small: { type: 'string', default: '1000' },
    services: { type: 'string' },
    workers: { type: 'string', default: '1' },
  },
})

function standard(rows: (bench: Bench, bigFile: string) => Promise<Line[]>): Rows {
  return (own) => {
    const bigFile = writeRandom(join(own, 'big.bin'), 1024 * MIB)
    return withBench(own, Number(values.rounds), (bench) => rows(bench, bigFile))
  }
}

function pooled(rows: (bench: PoolBench, file: string) => Promise<Line[]>): Rows {
  return (own) => {
    const file = writeRandom(join(own, 'pooled.bin'), Number(values.size) * MIB)
    const settings = {
      dir: own,
      rounds: Number(values.rounds),
      bytesPerSecond: Number(values.speed) * MIB,
      size: Number(values.size) * MIB,
      files: Number(values.files),
      latencyMs: Number(values.latency),
    }
    return withPools(settings, (bench) => rows(bench, file))
  }
}

for (const program of ['nginx', 'wrk', 'curl']) {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
  } catch {
    throw new Error(`The bench needs ${program}: on Debian, apt-get install nginx-light wrk curl.`)
  }
}

function writeRandom(path: string, bytes: number): string {
  const file = openSync(path, 'w')
  for (let at = 0; at < bytes; at += MIB) writeSync(file, randomBytes(Math.min(MIB, bytes - at)))
  closeSync(file)
  return path
}

/** Everything that a group of rows needs, newly created: leftover work of one group must not slow down the next. */
async function withBench<Result>(dir: string, rounds: number, use: (bench: Bench) => Promise<Result>): Promise<Result> {
  const referenceRoot = join(dir, 'reference')
  mkdirSync(referenceRoot, { recursive: true })
  const postgres = await startEmbeddedPostgres({ dataDir: join(dir, 'database') })
  const { host, user, database, port } = postgres.connection
  const databaseUrl = `postgresql://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
  const pool = createPool(postgres.connection)
  const workers = { WORKERS: values.workers }
  const skypool = await startSkypool({
    ...SETTINGS,
    ...workers,
    DATA_DIR: join(dir, 'data'),
    DATABASE_URL: databaseUrl,
  })
  const references = await Promise.all([
    startNginx(join(dir, 'nginx'), referenceRoot),
    startNodeReference('nodeStream.ts', { ROOT: referenceRoot, ...workers }),
    startNodeReference('tusFileStore.ts', { ROOT: referenceRoot, ...workers }),
  ])
  const [nginx, node, tus] = references
  try {
    const cookie = await remember(join(dir, 'cookie'), async () => (await Client.signUp(skypool.url)).cookie)
    const client = new Client(skypool.url, cookie)
    return await use({ dir, rounds, workers, pool, databaseUrl, skypool, client, nginx, node, tus, referenceRoot })
  } finally {
    await Promise.all([skypool.stop(), ...references.map((each) => each.stop())])
    await pool.end()
    await postgres.stop()
  }
}

const dir = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'skypool-bench-'))
chmodSync(dir, 0o755)
try {
  console.log(machine())
  for (const name of values.rows.split(',')) {
    const group = groups[name]
    if (!group) throw new Error(`no rows named ${name}: there are ${Object.keys(groups).join(', ')}`)
    const isKept = values.data !== undefined && name === 'inPlaceLists'
    const own = isKept ? resolve(values.data ?? '') : join(dir, name)
    mkdirSync(own, { recursive: true })
    chmodSync(own, 0o755)
    const lines = await group(own)
    if (!isKept) rmSync(own, { recursive: true, force: true })
    lines.forEach(printLine)
    if (lines.some((line) => !line.met)) process.exitCode = 1
  }
} finally {
  rmSync(dir, { recursive: true, force: true })
}
