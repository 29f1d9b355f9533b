import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../../server/db/embedded/embeddedPostgres.ts'
import { freePort } from '../bench/references.ts'
import { type Build, buildOf, buildOfNext, CURRENT } from './builds.ts'
import { type Kept, type Load, sha256, startLoad } from './load.ts'
import { startProxy } from './proxy.ts'

/**
 * `npm run upgrade-test -- --from <commit>`: two servers of that version behind nginx (deploy/nginx.conf) are replaced by this version,
 * one after the other, while programs upload, list and download; then by a next version with more migrations, meanwhile one of this
 * version is killed and started again. Exits with 1 if a request fails in another way than by a 503 that a retry ends, or if
 * anything is lost.
 */
const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    writers: { type: 'string', default: '4' },
    files: { type: 'string', default: '40' },
  },
})
/** Files that are stored by each pair of versions. */
const FILES = Number(values.files)
const START_LIMIT_MS = 180_000

/** Failures while a server was killed: only that it comes back is tested there. */
const expected = new Set<string>()

type Server = { readonly host: string; build: Build; child: ChildProcess | null }

const next = buildOfNext()
const dataDir = mkdtempSync(join(tmpdir(), 'skypool-upgrade-'))
chmodSync(dataDir, 0o755)
const from = values.from ? buildOf(values.from) : CURRENT
const postgres = await startEmbeddedPostgres({
  dataDir: join(dataDir, 'database'),
  settings: { max_connections: '300' },
})
const { host, user, port } = postgres.connection
const address = `postgres://${user}@localhost/skypool?host=${encodeURIComponent(host)}&port=${port}`
const failed = await upgrade(address).finally(async () => {
  await postgres.stop()
  for (const folder of [dataDir, next.folder]) rmSync(folder, { recursive: true, force: true })
})
process.exit(failed ? 1 : 0)

async function upgrade(database: string): Promise<boolean> {
  const servers: Server[] = []
  for (const _ of [1, 2]) servers.push({ host: `127.0.0.1:${await freePort()}`, build: from, child: null })
  const proxy = await startServers(servers, database).then(() => startProxy(servers.map(({ host }) => host)))
  try {
    const cookie = await register(proxy.url)
    const load = startLoad(proxy.url, cookie, Number(values.writers))
    await stored(load, from.name)
    for (const build of [CURRENT, next]) {
      for (const [index, server] of servers.entries()) {
        const other = servers[1 - index]
        await end(server, 'SIGTERM')
        server.build = build
        await start(server, database)
        await stored(load, `${build.name} and ${other?.build.name}`)
        // A version before `this one` would refuse a database that is newer than itself.
        if (other?.build === CURRENT && build === next) await restartAfterCrash(other, database, load)
      }
    }
    await load.stop()
    const lost = await countLost(servers, cookie, load.kept)
    const jobs = await failedJobs(database)
    const failures = load.failures.filter((sentence) => !expected.has(sentence))
    for (const sentence of [...failures, ...jobs].slice(0, 30)) console.error(sentence)
    const figures = {
      ...load.counts,
      acknowledged: load.kept.length,
      failures: failures.length,
      lost,
      jobs: jobs.length,
    }
    console.log(JSON.stringify({ from: from.name, writers: Number(values.writers), ...figures }))
    return failures.length + lost + jobs.length > 0
  } finally {
    await proxy.close()
    for (const server of servers) await end(server, 'SIGTERM')
  }
}

async function restartAfterCrash(server: Server, database: string, load: Load): Promise<void> {
  const before = new Set(load.failures)
  await end(server, 'SIGKILL')
  await start(server, database)
  for (const sentence of load.failures) if (!before.has(sentence)) expected.add(sentence)
  await stored(load, `${server.build.name}, restarted on the newer database`)
}

async function startServers(servers: readonly Server[], database: string): Promise<void> {
  for (const server of servers) await start(server, database)
}

async function start(server: Server, database: string): Promise<void> {
  const [, port = ''] = server.host.split(':')
  const settings = {
    PORT: port,
    DATA_DIR: join(dataDir, 'files'),
    DATABASE_URL: database,
    LOG_LEVEL: 'error',
    LOCAL_QUOTA: '1TB',
  }
  const others = { TRUST_PROXY: 'true', AVATAR_URL: 'http://127.0.0.1:9/', UPLOAD_TYPES: '*' }
  server.child = spawn(process.execPath, [join(server.build.folder, 'dist/server/main.cjs')], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...settings, ...others },
  })
  for (const until = Date.now() + START_LIMIT_MS; Date.now() < until; await sleep(50)) {
    if (server.child.exitCode !== null) throw new Error(`${server.build.name} ended with ${server.child.exitCode}.`)
    const answer = await fetch(`http://${server.host}/ready`).catch(() => null)
    await answer?.body?.cancel()
    if (answer?.ok) return
  }
  throw new Error(`${server.build.name} did not get ready.`)
}

async function end({ child }: Server, signal: NodeJS.Signals): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

/** Waits until these versions have stored enough together. */
async function stored(load: Load, versions: string): Promise<void> {
  const enough = load.kept.length + FILES
  while (load.kept.length < enough) {
    if (load.failures.length > 1_000) throw new Error(`Too many failures, the last one: ${load.failures.at(-1)}`)
    await sleep(50)
  }
  console.log(`${versions}: ${FILES} more files stored, ${load.counts.refused} requests refused so far`)
}

async function register(url: string): Promise<string> {
  const body = { fullName: 'Upgrade', email: `${crypto.randomUUID()}@example.org`, password: crypto.randomUUID() }
  const headers = { 'content-type': 'application/json', origin: url }
  const answer = await fetch(`${url}/api/v1/auth/register`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (answer.status !== 201) throw new Error(`Registering was answered ${answer.status}: ${await answer.text()}`)
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}

async function countLost(servers: readonly Server[], cookie: string, kept: readonly Kept[]): Promise<number> {
  let lost = 0
  for (const [index, { id, sha256: wanted }] of kept.entries()) {
    const server = servers[index % servers.length]
    const answer = await fetch(`http://${server?.host}/api/v1/files/${id}/download`, { headers: { cookie } })
    if (answer.status !== 200 || sha256(await answer.bytes()) !== wanted) lost += 1
  }
  return lost
}

/** Jobs that failed, for example because another version had queued them. */
async function failedJobs(database: string): Promise<string[]> {
  const client = new pg.Client(database)
  await client.connect()
  const { rows } = await client.query<{ job: string }>(
    `select task_identifier || ': ' || last_error as job from graphile_worker.jobs where last_error is not null`,
  )
  await client.end()
  return rows.map(({ job }) => job)
}
