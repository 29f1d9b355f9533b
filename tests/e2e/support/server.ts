import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBalancer } from '../../setup/balancer.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'

export type TestServer = {
  readonly url: string
  readonly dataDir: string
  readonly database: TestDatabase
  close(): Promise<void>
}

/**
 * The built server (dist/) in a process of its own, on its own data folder and its own database of the run's PostgreSQL: a
 * PostgreSQL for each would cost half a minute of a busy machine. tests/acceptance starts it as people do. With SERVERS=2 two of them
 * answer in turn, behind nginx.
 */
export async function startServer(env: Record<string, string> = {}): Promise<TestServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'skypool-e2e-'))
  chmodSync(dataDir, 0o755)
  const database = await createTestDatabase()
  const launched = { dataDir, database, env }
  const servers = [await launch(launched)]
  if (process.env.SERVERS === '2') servers.push(await launch(launched))
  const [first, second] = servers
  if (!first) throw new Error('There is a server.')
  const balancer = second && (await startBalancer([first.url, second.url]))
  return {
    url: balancer?.url ?? first.url,
    dataDir,
    database,
    async close() {
      await balancer?.close()
      await Promise.all(servers.map((server) => server.stop()))
      await database.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

type Launched = Pick<TestServer, 'dataDir' | 'database'> & { readonly env: Record<string, string> }

async function launch({ dataDir, database, env }: Launched): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const port = await freePort()
  const { host, port: databasePort, user, database: name } = database.connection
  const child = spawn(process.execPath, ['dist/server/main.cjs'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      PORT: String(port),
      DATA_DIR: dataDir,
      DATABASE_URL: `postgresql://${user}@localhost:${databasePort}/${name}?host=${encodeURIComponent(host)}`,
      LOG_LEVEL: 'warn',
      AVATAR_URL: 'http://127.0.0.1:9/',
      ACCOUNT_POLL_SECONDS: '1',
      ...env,
    },
  })
  const url = `http://127.0.0.1:${port}`
  await ready(url, () => child.exitCode)
  return {
    url,
    async stop() {
      if (child.exitCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
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
