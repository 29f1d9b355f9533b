import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findBinaries } from './binaries.ts'
import { type Directories, PORT, prepareDirectories, spawnAs } from './directories.ts'
import { endEarlierPostgres, hasEnded, holderFile, isReady, isServing, supervise } from './process.ts'

const USER = 'skypool'
const DATABASE = 'skypool'
const START_TIMEOUT_MS = 60_000
const ENVIRONMENT = { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', TZ: 'UTC' }

/**
 * Shell script that runs its arguments as a child and ends it (SIGINT: fast shutdown) when our end of the pipe closes, which
 * happens however this process ends, including kill -9. So Postgres never outlives the server.
 */
const WATCHER =
  'exec 3<&0; "$@" & P=$!; (cat <&3 >/dev/null; kill -INT $P) & W=$!; wait $P; S=$?; kill $W 2>/dev/null; exit $S'

export type Connection = {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
}

export type EmbeddedPostgres = {
  /** A Unix socket that only this user and root can open; no TCP. */
  readonly connection: Connection
  /** Fast shutdown; resolves when the process has ended. */
  stop(): Promise<void>
}

export type EmbeddedOptions = {
  readonly dataDir: string
  readonly database?: string
  /** postgresql.conf settings that override ours. */
  readonly settings?: Readonly<Record<string, string>>
  readonly log?: (line: string) => void
}

/**
 * Starts PostgreSQL for this data folder, creates cluster and database the first time, and restarts it whenever it ends by itself.
 * Resolves when it accepts connections. @throws Error with a message for the administrator
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, database = DATABASE } = options
  let stopping = false
  const log = (line: string) => stopping || options.log?.(line) // messages during shutdown are expected
  const directories = prepareDirectories(dataDir)
  const bin = findBinaries(directories.state, directories.owner)
  await endEarlierPostgres(directories)
  initialise(bin, directories)
  writeFileSync(holderFile(directories), String(process.pid))

  const start = async () => {
    await endEarlierPostgres(directories)
    return launch(bin, directories, { jit: 'off', shared_buffers: `${cacheMiB()}MB`, ...options.settings }, log)
  }
  const supervisor = await supervise(start, log)
  const connection = connectionIn(directories, database)
  await createDatabase(connection)
  return {
    connection,
    async stop() {
      stopping = true
      await supervisor.stop()
      rmSync(holderFile(directories), { force: true })
    },
  }
}

const MIB = 1024 * 1024
/** PostgreSQL's default, and where more gains little. */
const CACHE_MIB = { least: 128, most: 1_024, part: 1 / 8 }

/**
 * PostgreSQL's own cache: a part of the memory of this machine or container. While a large account is listed for the first time, the
 * pages of its indexes are written again and again; what does not fit goes to the system and back each time.
 */
function cacheMiB(): number {
  // 0, or more than there is: the container has no limit.
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY
  const part = Math.floor((Math.min(limit, totalmem()) / MIB) * CACHE_MIB.part)
  return Math.max(CACHE_MIB.least, Math.min(part, CACHE_MIB.most))
}

/** The database of a data folder that another process runs; null when none does. */
export function findEmbeddedPostgres(dataDir: string): Connection | null {
  if (!existsSync(dataDir)) return null
  const directories = prepareDirectories(dataDir)
  return isServing(directories) ? connectionIn(directories, DATABASE) : null
}

function connectionIn({ socket }: Directories, database: string): Connection {
  return { host: socket, port: PORT, user: USER, database }
}

function initialise(bin: string, { cluster, owner }: Directories): void {
  if (existsSync(join(cluster, 'PG_VERSION'))) return
  const locale = ['-E', 'UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const access = ['-U', USER, '--auth-local=trust', '--auth-host=reject']
  const args = ['-D', cluster, ...access, ...locale, '--data-checksums', '--no-instructions']
  const result = spawnSync(join(bin, 'initdb'), args, { ...spawnAs(owner), env: ENVIRONMENT, encoding: 'utf8' })
  if (result.status !== 0) throw new Error(`The database could not be created: ${result.stderr || result.error}`)
}

async function launch(
  bin: string,
  directories: Directories,
  settings: Readonly<Record<string, string>>,
  log: (line: string) => void,
): Promise<ChildProcess> {
  const { cluster, socket, owner } = directories
  const all = { listen_addresses: '', unix_socket_permissions: '0700', ...settings }
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const command = [join(bin, 'postgres'), '-D', cluster, '-k', socket, '-p', String(PORT), ...flags]
  // detached: Ctrl-C in a terminal must not reach Postgres before the server has finished its requests.
  const child = spawn('/bin/sh', ['-c', WATCHER, 'skypool-postgres', ...command], {
    ...spawnAs(owner),
    env: ENVIRONMENT,
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  let tail = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    tail = (tail + chunk.toString()).slice(-4000)
    log(chunk.toString().trimEnd())
  })
  child.stdin?.on('error', () => {}) // EPIPE when it has ended already; handled by 'exit'.
  const until = Date.now() + START_TIMEOUT_MS
  while (!isReady(directories)) {
    if (hasEnded(child)) throw new Error(`PostgreSQL ended at start: ${tail}`)
    if (Date.now() > until) throw new Error(`PostgreSQL did not get ready: ${tail}`)
    await sleep(15)
  }
  return child
}

async function createDatabase(connection: Connection): Promise<void> {
  const client = new pg.Client({ ...connection, database: 'postgres' })
  await client.connect()
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [connection.database])
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(connection.database)}`)
  } finally {
    await client.end()
  }
}
