import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addressOf, createTestDatabase, type TestDatabase } from '../../setup/database.ts'
import { FLEET, startFleet } from '../../setup/fleet.ts'
import { NODE_FLAGS } from '../../setup/nodeFlags.ts'
import { sharedPgBouncer } from '../../setup/pgbouncer.ts'
import { openSharedStorage } from '../../setup/sharedStorage.ts'

export type TestServer = {
  readonly url: string
  readonly dataDir: string
  readonly database: TestDatabase
  close(): Promise<void>
}

export type OwnServer = TestServer & {
  /** As an administrator who has added settings: it ends, and starts again on the same port. */
  restart(more: Record<string, string>): Promise<void>
}

/**
 * The built server (dist/) in a process of its own, on its own data folder and its own database of the run's PostgreSQL: a
 * PostgreSQL for each would cost half a minute of a busy machine. tests/acceptance starts it as people do. With SERVERS=3 three of
 * them answer in turn, behind nginx (tests/setup/fleet.ts).
 */
export async function startServer(env: Record<string, string> = {}): Promise<OwnServer> {
  const database = await createTestDatabase()
  const storage = await openSharedStorage()
  const dataDirs = [newFolder()]
  const servers: Launched[] = []
  const pooled = FLEET.pooled ? (await sharedPgBouncer(database)).urlOf(database) : null
  const reached = pooled === null ? {} : { DATABASE_URL: pooled, DATABASE_DIRECT_URL: addressOf(database) }
  for (let count = 0; count < FLEET.servers; count += 1) {
    if (count > 0 && storage.bucket) dataDirs.push(newFolder())
    servers.push(
      await launch({ dataDir: dataDirs.at(-1) ?? '', database, env: { ...reached, ...storage.settings, ...env } }),
    )
  }
  const [first, ...others] = servers
  if (!first) throw new Error('There is a server.')
  const fleet = others.length > 0 ? await startFleet({ first, others, breaksStreams: true }) : null
  return {
    url: fleet?.url ?? first.url,
    dataDir: dataDirs[0] ?? '',
    database,
    async restart(more) {
      await Promise.all(servers.map((server) => server.restart(more)))
    },
    async close() {
      await fleet?.calm()
      await Promise.all(servers.map((server) => server.stop()))
      await fleet?.close()
      await database.close()
      for (const dataDir of dataDirs) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function newFolder(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'skypool-e2e-'))
  chmodSync(dataDir, 0o755)
  return dataDir
}

type LaunchOptions = Pick<TestServer, 'dataDir' | 'database'> & { readonly env: Record<string, string> }

type Launched = {
  readonly url: string
  /** SIGKILL. */
  kill(): Promise<void>
  /** After it was killed, on the same port. */
  start(): Promise<void>
  restart(more: Record<string, string>): Promise<void>
  stop(): Promise<void>
}

async function launch({ dataDir, database, env }: LaunchOptions): Promise<Launched> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess
  let settings = env

  async function start(): Promise<void> {
    const started = spawn(process.execPath, [...NODE_FLAGS, 'dist/server/main.cjs'], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        PORT: String(port),
        DATA_DIR: dataDir,
        DATABASE_URL: addressOf(database),
        LOG_LEVEL: 'warn',
        AVATAR_URL: 'http://127.0.0.1:9/',
        ACCOUNT_POLL_SECONDS: '1',
        ...settings,
      },
    })
    child = started
    await ready(url, () => started.exitCode)
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }

  async function restart(more: Record<string, string>): Promise<void> {
    await end('SIGTERM')
    settings = { ...settings, ...more }
    await start()
  }

  await start()
  return { url, kill: () => end('SIGKILL'), start, restart, stop: () => end('SIGTERM') }
}

async function ready(url: string, exitCode: () => number | null): Promise<void> {
  const deadline = Date.now() + 60_000
  while (Date.now() < deadline) {
    if (exitCode() !== null) throw new Error(`the server ended with ${exitCode()}`)
    const answer = await fetch(`${url}/ready`).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('the server did not get ready')
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
