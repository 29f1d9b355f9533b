import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { PGBOUNCER_FOLDER } from '../../server/scripts/setup/pgbouncer.mjs'
import { untilReached } from '../fakes/dav/servers.ts'
import { freePort } from '../tools/demo/processes.ts'
import type { TestDatabase } from './database.ts'

const INSTALLED = '/usr/sbin/pgbouncer'
const UNPACKED = resolve(PGBOUNCER_FOLDER, 'usr/sbin/pgbouncer')

/** What is missing to start it; null when nothing is. */
export function lacksPgBouncer(): string | null {
  if (existsSync(INSTALLED) || existsSync(UNPACKED)) return null
  return `${INSTALLED} is not installed, and npm test gets it only as root on Debian.`
}

export type PgBouncer = {
  /** Of a database of the test's PostgreSQL, through it. */
  urlOf(database: Pick<TestDatabase, 'connection'>): string
  close(): Promise<void>
}

let ofProcess: Promise<PgBouncer> | undefined

/** Connections to each database, for all servers of a test. */
const POOL_SIZE = 6

/** The PgBouncer that all suites of this process share; it stops with the process. `database`: any one of the same PostgreSQL. */
export function sharedPgBouncer(database: TestDatabase): Promise<PgBouncer> {
  ofProcess ??= startPgBouncer(database, POOL_SIZE).then((bouncer) => {
    process.once('exit', () => void bouncer.close())
    return bouncer
  })
  return ofProcess
}

/** A PgBouncer in transaction mode before the PostgreSQL of the tests, with at most `poolSize` connections to each database. */
export async function startPgBouncer({ connection }: TestDatabase, poolSize: number): Promise<PgBouncer> {
  const dir = mkdtempSync(join(tmpdir(), 'skypool-pgbouncer-'))
  const port = await freePort(0)
  const config = join(dir, 'pgbouncer.ini')
  const users = join(dir, 'users.txt')
  writeFileSync(users, `"${connection.user}" ""\n`)
  writeFileSync(
    config,
    `[databases]
* = host=${connection.host} port=${connection.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 200
`,
  )
  // It refuses to run as root, and only the owner of the socket can reach PostgreSQL.
  const { uid, gid } = statSync(connection.host)
  const isRoot = process.getuid?.() === 0
  if (isRoot) for (const path of [dir, config, users]) chownSync(path, uid, gid)
  chmodSync(dir, 0o755)
  const isInstalled = existsSync(INSTALLED)
  // Other users may not be able to enter the project.
  if (!isInstalled)
    cpSync(resolve(PGBOUNCER_FOLDER, 'usr'), join(dir, 'usr'), { recursive: true, verbatimSymlinks: true })
  const libraries = readdirSync('/usr/lib').flatMap((name) =>
    /-linux-gnu/.test(name) ? [join(dir, 'usr/lib', name)] : [],
  )
  const child = spawn(isInstalled ? INSTALLED : join(dir, 'usr/sbin/pgbouncer'), [config], {
    ...(isRoot && { uid, gid }),
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', LD_LIBRARY_PATH: libraries.join(':') },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4000)
  })
  await untilReached(port, child, () => said)
  return {
    urlOf: ({ connection: { user, database } }) => `postgres://${user}@127.0.0.1:${port}/${database}`,
    async close() {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
