import { createHash } from 'node:crypto'
import diagnostics from 'node:diagnostics_channel'
import { chmodSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type pg from 'pg'
import { startEmbeddedPostgres } from '../../../../server/db/embedded/embeddedPostgres.ts'
import { migrate, readMigrations } from '../../../../server/db/migrate.ts'
import { createPool } from '../../../../server/db/pool.ts'
import { createAccountFeed } from '../../../../server/domain/feed/feed.ts'
import { createInPlaceService } from '../../../../server/domain/inPlace/service.ts'
import { newId } from '../../../../server/lib/ids.ts'
import { amazonS3Module } from '../../../../server/providers/amazon-s3/module.ts'
import type { Driver } from '../../../../server/providers/driver.ts'
import { credentialsOf, loginOf } from '../../../../server/providers/sftp/login.ts'
import { sftpModule } from '../../../../server/providers/sftp/module.ts'
import { createHostGuard } from '../../../../server/providers/shared/hostGuard.ts'
import { createHttp } from '../../../../server/providers/shared/http.ts'
import { webdavModule } from '../../../../server/providers/webdav/module.ts'
import { createOwner } from '../../../factories/files.ts'
import { createMemoryAccount } from '../../../factories/groupClouds.ts'
import { DAV_LOGIN, DAV_SERVERS } from '../../../fakes/dav/servers.ts'
import { startSshd, USER } from '../../../fakes/sftp/sshd.ts'
import type { Line } from '../context.ts'

/** Files of one folder. */
const IN_FOLDER = 100
const LONGEST_MS = 30 * 60_000

/** Files by path, with the version of their content. */
type Files = Map<string, number>

/** An empty account of a service, and how it is filled from outside. */
type Stage = {
  readonly name: string
  readonly driver: Driver
  /** Makes the account hold exactly these files. */
  fill(files: Files): Promise<void>
  /** Requests to the service since it was asked last. */
  requests(): number
  close(): Promise<void>
}

/** Row 17: a large account without a feed is listed, and again after 1 % of it has changed. The calls are counted. */
export async function walkRows({ dir, entries }: { dir: string; entries: number }): Promise<Line[]> {
  mkdirSync(dir, { recursive: true })
  const postgres = await startEmbeddedPostgres({ dataDir: join(dir, 'database') })
  const pool = createPool(postgres.connection)
  try {
    await migrate(postgres.connection, readMigrations('prisma/migrations'))
    const lines: Line[] = []
    for (const open of [sftpStage, davStage, s3Stage]) {
      const stage = await open()
      try {
        lines.push(...(await walk(pool, stage, entries)))
      } finally {
        await stage.close()
      }
    }
    return lines
  } finally {
    await pool.end()
    await postgres.stop()
  }
}

async function walk(pool: pg.Pool, stage: Stage, entries: number): Promise<Line[]> {
  const files: Files = new Map()
  const folders = Math.ceil(entries / (IN_FOLDER + 1))
  for (let at = 0; at < entries - folders; at += 1) files.set(pathOf(at), 0)
  await stage.fill(files)
  const account = await openAccount(pool, stage.driver)
  const first = await account.list()
  await expectEqual(pool, account.id, files)
  change(files)
  await stage.fill(files)
  const again = await account.list()
  await expectEqual(pool, account.id, files)
  await account.close()
  const what = `${entries.toLocaleString('en')} entries with ${stage.name}`
  return [line(`${what}: first listing`, first), line(`${what}: again, after 1 % has changed`, again)]

  function line(measure: string, { seconds, requests }: Listed): Line {
    const figure = `${requests.toLocaleString('en')} requests  [${seconds.toFixed(1)} s; index equal to the account]`
    return { row: 17, measure, figure, bar: '-', goal: '-', met: true }
  }

  async function openAccount(pool: pg.Pool, driver: Driver) {
    const { viewer } = await createOwner(pool)
    const id = await createMemoryAccount(pool, viewer.userId, `${stage.name} ${newId()}`, 'UNLIMITED')
    const openDriver = async () => driver
    const events = { publish: () => {} }
    const enqueue = async () => {}
    const onError = (error: unknown) => {
      throw error
    }
    const report = {
      failed: (_id: string, error: Error) => onError(error),
      worked: () => {},
    }
    const deps = { pool, events, enqueue, openDriver }
    const feed = createAccountFeed({ ...deps, leases: pool, report, onError, everyMs: 0 })
    const inPlace = createInPlaceService(deps)
    let isNew = true
    return {
      id,
      async list(): Promise<Listed> {
        stage.requests()
        const startedAt = performance.now()
        if (isNew) await inPlace.setScope(viewer, id, 'EVERYTHING')
        else await inPlace.refresh(viewer, id)
        isNew = false
        while (await isListing(pool, id)) {
          await feed.tick()
          if (performance.now() - startedAt > LONGEST_MS) throw new Error('the listing never ends')
        }
        return { seconds: (performance.now() - startedAt) / 1000, requests: stage.requests() }
      },
      close: () => feed.close(),
    }
  }
}

type Listed = { readonly seconds: number; readonly requests: number }

const pathOf = (at: number, kind = 'file') =>
  `folder ${String(Math.floor(at / IN_FOLDER)).padStart(5, '0')}/${kind} ${String(at).padStart(7, '0')}.txt`

/** Of every 100 files, one is changed, renamed or deleted, or another one is added. */
function change(files: Files): void {
  const count = files.size
  for (let at = 0; at < count; at += 100) {
    const path = pathOf(at)
    const what = (at / 100) % 4
    if (what === 0) files.set(path, 1)
    else if (what === 1) files.set(pathOf(at, 'added'), 0)
    else files.delete(path)
    if (what === 2) files.set(pathOf(at, 'renamed'), 0)
  }
}

async function isListing(pool: pg.Pool, accountId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    'select from account_indexes where account_id = $1 and (passed_at is null or pass_started_at is not null)',
    [accountId],
  )
  return rowCount === 1
}

/** @throws if the index differs from the account */
async function expectEqual(pool: pg.Pool, accountId: string, files: Files): Promise<void> {
  const { rows } = await pool.query<{ path: string; size: number }>(
    `select p.name || '/' || f.name as path, f.size::int as size from account_entries e join files f on f.id = e.file_id
       join files p on p.id = f.parent_id where e.account_id = $1 and f.kind = 'FILE' and f.purged_at is null`,
    [accountId],
  )
  const wrong = rows.filter(({ path, size }) => files.get(path) !== size)
  if (wrong.length > 0 || rows.length !== files.size) {
    const example = wrong[0]?.path ?? 'what is missing'
    throw new Error(`the index has ${rows.length} files instead of ${files.size}, ${wrong.length} wrong: ${example}`)
  }
}

/** Writes to a folder of a disk what has changed there since it was written last. */
function createDisk(folder: string, own: (path: string) => void) {
  const written: Files = new Map()
  const made = new Set<string>()
  return async (files: Files): Promise<void> => {
    for (const path of written.keys()) if (!files.has(path)) rmSync(join(folder, path))
    for (const [path, version] of files) {
      if (written.get(path) === version) continue
      const parent = join(folder, path, '..')
      if (!made.has(parent)) {
        mkdirSync(parent, { recursive: true })
        own(parent)
        made.add(parent)
      }
      writeFileSync(join(folder, path), 'x'.repeat(version))
      utimesSync(join(folder, path), 1_700_000_000 + version, 1_700_000_000 + version)
      own(join(folder, path))
    }
    written.clear()
    for (const [path, version] of files) written.set(path, version)
  }
}

async function sftpStage(): Promise<Stage> {
  const sshd = await startSshd()
  const folder = join(sshd.home, 'large')
  await sshd.run(`mkdir '${folder}'`)
  const { port, fingerprint } = sshd
  const login = { host: '127.0.0.1', port: String(port), user: USER, privateKey: sshd.addKey(), fingerprint, folder }
  const driver = sftpModule({ guard: createHostGuard(['127.0.0.1']) }).open(credentialsOf(loginOf(login)))
  const counted = countCalls(driver)
  const filled: Files = new Map()
  return {
    name: 'SFTP (calls of the driver)',
    driver: counted.driver,
    // The disk of the server is not visible here.
    fill: (files) => fillBy(sshd.run, folder, filled, files),
    requests: counted.count,
    close: () => sshd.close(),
  }
}

/** With commands on the server, of which each has a limited length. */
async function fillBy(
  run: (command: string) => Promise<string>,
  folder: string,
  filled: Files,
  files: Files,
): Promise<void> {
  const commands: string[] = []
  for (const path of filled.keys()) if (!files.has(path)) commands.push(`rm '${path}'`)
  const folders = new Set<string>()
  for (const [path, version] of files) {
    if (filled.get(path) === version) continue
    const [parent = ''] = path.split('/')
    if (!folders.has(parent)) commands.push(`mkdir -p '${parent}'`)
    folders.add(parent)
    commands.push(version === 0 ? `: > '${path}'` : `printf x > '${path}'`)
  }
  for (let at = 0; at < commands.length; at += 500) {
    await run(`cd '${folder}' && ${commands.slice(at, at + 500).join(' && ')}`)
  }
  filled.clear()
  for (const [path, version] of files) filled.set(path, version)
}

/** Calls of a driver that list or ask. */
function countCalls(driver: Driver) {
  let count = 0
  const counted = new Proxy(driver, {
    get(object, key) {
      const value = Reflect.get(object, key, object)
      if (!['list', 'listAll', 'stat'].includes(String(key)) || typeof value !== 'function') return value
      return (...given: unknown[]) => {
        count += 1
        return value.apply(object, given)
      }
    },
  })
  const taken = (): number => {
    const now = count
    count = 0
    return now
  }
  return { driver: counted, count: taken }
}

/** HTTP requests that this process sends. */
function countRequests() {
  let count = 0
  const listen = () => {
    count += 1
  }
  diagnostics.subscribe('http.client.request.start', listen)
  return {
    taken(): number {
      const now = count
      count = 0
      return now
    },
    stop: () => diagnostics.unsubscribe('http.client.request.start', listen),
  }
}

async function davStage(): Promise<Stage> {
  const dav = await DAV_SERVERS.apache()
  const { disk, path } = dav.newFolder()
  const requests = countRequests()
  const root = `http://127.0.0.1:${dav.port}${encodeURI(path)}`
  const { open } = webdavModule({ guard: createHostGuard(['127.0.0.1']) })
  return {
    name: 'WebDAV (Apache)',
    driver: open({ expiresAt: null, root, ...DAV_LOGIN, subject: 'ann' }),
    fill: createDisk(disk, (made) => chmodSync(made, 0o755)),
    requests: requests.taken,
    async close() {
      requests.stop()
      await dav.close()
    },
  }
}

/** A bucket that only lists: to store so many objects takes longer than everything else. */
async function s3Stage(): Promise<Stage> {
  let keys: string[] = []
  let held: Files = new Map()
  const server = createServer((request, response) => {
    const { searchParams, pathname } = new URL(request.url ?? '/', 'http://bucket')
    if (!searchParams.has('list-type')) {
      const key = decodeURIComponent(pathname.replace(/^\/bucket\//, ''))
      const version = held.get(key)
      if (version === undefined) return void response.writeHead(404).end(request.method === 'HEAD' ? '' : NO_SUCH_KEY)
      response.writeHead(200, { etag: `"${etagOf(key, version)}"`, 'content-length': version })
      return void response.end(request.method === 'HEAD' ? '' : 'x'.repeat(version))
    }
    response.writeHead(200, { 'content-type': 'application/xml' })
    response.end(listOf(keys, held, searchParams))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const requests = countRequests()
  const http = createHttp({ emulatorUrl: null, guard: createHostGuard(true) })
  const place = { region: 'us-east-1', bucket: 'bucket', style: 'path', accessKey: 'key', secretKey: 'secret' }
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const account = { ...place, endpoint, prefix: '', capacityBytes: null, etags: 'md5', conditions: 'none' }
  return {
    name: 'S3',
    driver: amazonS3Module({ http }).open({ expiresAt: null, ...account }),
    async fill(files) {
      held = new Map(files)
      keys = [...files.keys()].sort()
    },
    requests: requests.taken,
    async close() {
      requests.stop()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const NO_SUCH_KEY = '<Error><Code>NoSuchKey</Code></Error>'
const etagOf = (key: string, version: number) => createHash('md5').update(`${key}${version}`).digest('hex')

/** ListObjectsV2, without a delimiter: as far as listings of everything use it. */
function listOf(keys: readonly string[], held: Files, query: URLSearchParams): string {
  const after = query.get('continuation-token') ?? query.get('start-after') ?? ''
  const prefix = query.get('prefix') ?? ''
  const most = Number(query.get('max-keys') ?? 1000)
  let [low, high] = [0, keys.length]
  const from = [after, prefix].sort().at(-1) ?? ''
  while (low < high) {
    const middle = (low + high) >> 1
    const key = keys[middle] ?? ''
    if (key < from || key === after) low = middle + 1
    else high = middle
  }
  const found = keys.slice(low, low + most + 1).filter((key) => key.startsWith(prefix))
  const page = found.slice(0, most)
  const contents = page.map((key) => {
    const version = held.get(key) ?? 0
    return `<Contents><Key>${encodeURIComponent(key)}</Key><LastModified>2026-01-01T00:00:0${version}.000Z</LastModified><ETag>"${etagOf(key, version)}"</ETag><Size>${version}</Size></Contents>`
  })
  const isTruncated = found.length > most
  const next = isTruncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
  return `<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`
}
