import { execFileSync } from 'node:child_process'
import { createWriteStream, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { prepareDirectories } from '../../../server/db/embedded/directories.ts'
import { createRandom } from '../crashTest/random.ts'
import { startTarget } from './target.ts'
import { type Asker, signUp } from './world.ts'

const DISK = '1200m'
const MIB = 1024 * 1024
const WORKERS = 8
/** A request that takes longer counts as unanswered. */
const PATIENCE_MS = 30_000

/** Lines that the server logged as errors. */
const MOST_SHOWN = 20

type Target = Awaited<ReturnType<typeof startTarget>>
type Tally = { readonly statuses: Record<string, number>; readonly wrong: string[] }

/**
 * `npm run hostile -- --trouble`, as root: files and database on one small disk that fills up, a database that crashes, freezes
 * and has no connections left, and SIGTERM, all under load. No response may be 500; 503 and 507 say when to retry or how much space
 * there is; deleting works on a full disk; everything recovers by itself. @returns what is wrong
 */
export async function makeTrouble(): Promise<string[]> {
  const disk = mkdtempSync(join(tmpdir(), 'skypool-trouble-'))
  await chmod(disk, 0o755)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK},mode=0755`, 'tmpfs', disk])
  const dataDir = join(disk, 'data')
  const target = await startTarget(dataDir, { LOG_LEVEL: 'error' })
  try {
    const { ask } = await signUp(target.url, createRandom(11))
    const wrong: string[] = []
    const phases: [string, () => Promise<void>][] = [
      ['uploads fill the disk', () => fillByUploads(ask, wrong)],
      ['others fill the disk', () => fillByOthers(disk, ask, wrong)],
      ['database crashes', () => crash(dataDir)],
      ['database frozen', () => freeze(dataDir)],
      ['no connections left', () => exhaust(dataDir)],
    ]
    for (const [name, phase] of phases) {
      const began = performance.now()
      const { statuses, wrong: refused } = await underLoad(ask, phase)
      const againMs = await worksAgain(target)
      console.log(
        JSON.stringify({ phase: name, statuses, seconds: Math.round((performance.now() - began) / 1000), againMs }),
      )
      wrong.push(...refused.map((text) => `${name}: ${text}`))
      if (againMs === null) wrong.push(`${name}: does not recover by itself`)
    }
    wrong.push(...(await terminate(target, ask)))
    const logged = new Set(target.failures().map((line) => line.replace(/"(time|reqId)":"[^"]*",?/g, '')))
    for (const line of [...logged].slice(0, MOST_SHOWN)) console.error(line.slice(0, 2_000))
    return wrong
  } finally {
    await target.stop()
    execFileSync('umount', ['-l', disk])
    rmSync(disk, { recursive: true, force: true })
  }
}

/** Requests of every kind, until the phase ends. */
async function underLoad(ask: Asker['ask'], phase: () => Promise<void>): Promise<Tally> {
  const tally: Tally = { statuses: {}, wrong: [] }
  let isOver = false
  const workers = Array.from({ length: WORKERS }, async (_, worker) => {
    for (let turn = 0; !isOver; turn += 1) {
      await one(tally, () => REQUESTS[(worker + turn) % REQUESTS.length]?.(ask, `${worker}-${turn}-${Date.now()}`))
      await sleep(5)
    }
  })
  await phase().finally(() => {
    isOver = true
  })
  await Promise.all(workers)
  return tally
}

type Answer = Awaited<ReturnType<Asker['ask']>>

const REQUESTS: readonly ((ask: Asker['ask'], name: string) => Promise<Answer>)[] = [
  (ask) => ask('GET', '/api/v1/files'),
  (ask, name) => ask('POST', '/api/v1/files/folders', { name }),
  (ask, name) => ask('POST', '/api/v1/files', fileOf(name, 20_000)),
  (ask) => ask('POST', '/graphql', { query: '{ viewer { id } }' }),
  (ask) =>
    ask('POST', '/api/v1/auth/login', { email: 'unknown@example.org', password: 'a wrong guess' }, { cookie: '' }),
  (ask, name) =>
    ask('POST', '/api/v1/uploads', undefined, {
      'tus-resumable': '1.0.0',
      'upload-length': '5',
      'upload-metadata': `filename ${Buffer.from(`${name}.bin`).toString('base64')}`,
    }),
]

function fileOf(name: string, bytes: number): FormData {
  const form = new FormData()
  form.set('file', new File([Buffer.alloc(bytes, 5)], `${name}.bin`))
  return form
}

async function one(tally: Tally, send: () => Promise<Answer> | undefined): Promise<number> {
  const patience = sleep(PATIENCE_MS, 'late' as const, { ref: false })
  const answer = await Promise.race([send()?.catch(() => 'cut' as const), patience])
  const status = typeof answer === 'object' ? answer.status : 0
  const key = typeof answer === 'object' ? String(status) : String(answer)
  tally.statuses[key] = (tally.statuses[key] ?? 0) + 1
  if (typeof answer !== 'object') tally.wrong.push(`no answer (${key})`)
  else if (status === 500 || answer.text.includes('"INTERNAL"')) tally.wrong.push(`500: ${answer.text.slice(0, 200)}`)
  else if (status === 503 && !answer.headers.has('retry-after')) tally.wrong.push('503 without Retry-After')
  else if (status === 507 && !answer.headers.has('retry-after') && !answer.text.includes('freeBytes'))
    tally.wrong.push('507 without sizes')
  return status
}

async function fillByUploads(ask: Asker['ask'], wrong: string[]): Promise<void> {
  let status = 201
  for (let turn = 0; status === 201 && turn < 500; turn += 1)
    status = (await ask('POST', '/api/v1/files', fileOf(`large-${turn}`, 8 * MIB))).status
  if (status !== 507) wrong.push(`an upload that has no room answers ${status}`)
  const folder = await ask('POST', '/api/v1/files/folders', { name: 'On a full disk' })
  if (folder.status !== 201) wrong.push(`a folder on a disk that uploads have filled answers ${folder.status}`)
}

/** To the last byte, for 15 seconds; then everything large is permanently deleted while the disk is still full. */
async function fillByOthers(disk: string, ask: Asker['ask'], wrong: string[]): Promise<void> {
  const filler = join(disk, 'filler')
  await fill(filler)
  await sleep(15_000)
  const { items } = JSON.parse((await askUntil(ask, 'GET', '/api/v1/files?q=large-&limit=100')).text)
  for (const { id } of items) {
    const { status } = await askUntil(ask, 'DELETE', `/api/v1/files/${id}?permanent=true`)
    if (status !== 204) wrong.push(`deleting on a full disk answers ${status}`)
  }
  if (items.length === 0) wrong.push('there was nothing to delete')
  for (let turn = 0; ; turn += 1) {
    const { status } = await ask('POST', '/api/v1/files', fileOf(`again-${turn}`, 4 * MIB))
    if (status === 201) break
    if (turn === 120) {
      wrong.push(`nothing can be uploaded after ${items.length} files were deleted: ${status}`)
      break
    }
    await sleep(500)
  }
  rmSync(filler)
}

/** Retries after the time in Retry-After. */
async function askUntil(ask: Asker['ask'], method: string, path: string): Promise<Answer> {
  for (let turn = 0; ; turn += 1) {
    const answer = await ask(method, path)
    if ((answer.status !== 503 && answer.status !== 507) || turn === 30) return answer
    await sleep(1_000)
  }
}

function fill(path: string): Promise<void> {
  return new Promise((resolve) => {
    const file = createWriteStream(path)
    file.once('error', () => resolve())
    const block = Buffer.alloc(MIB)
    const more = (): void => void file.write(block, (error) => error || more())
    more()
  })
}

function postmaster(dataDir: string): number {
  const { cluster } = prepareDirectories(dataDir)
  return Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0])
}

async function crash(dataDir: string): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) {
    process.kill(postmaster(dataDir), 'SIGQUIT')
    await sleep(3_000)
  }
}

/** All of its processes, for 20 s. */
async function freeze(dataDir: string): Promise<void> {
  const root = postmaster(dataDir)
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === root)
    .map(Number)
  for (const pid of [root, ...children]) process.kill(pid, 'SIGSTOP')
  await sleep(20_000)
  for (const pid of [root, ...children]) process.kill(pid, 'SIGCONT')
  await sleep(2_000)
}

function parentOf(pid: string): number | null {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1])
  } catch {
    // The process has ended since the folder was read.
    return null
  }
}

/** Other clients take every connection, and the server's own are closed. */
async function exhaust(dataDir: string): Promise<void> {
  const { socket } = prepareDirectories(dataDir)
  const open: pg.Client[] = []
  const connect = async () => {
    const client = new pg.Client({
      host: socket,
      port: 5432,
      user: 'skypool',
      database: 'skypool',
      application_name: 'greedy',
    })
    client.on('error', () => undefined)
    await client.connect()
    open.push(client)
    return client
  }
  const first = await connect()
  for (const until = Date.now() + 10_000; Date.now() < until; ) {
    await first.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'skypool%'`)
    for (let turn = 0; turn < 20; turn += 1) await connect().catch(() => null)
    await sleep(200)
  }
  for (const client of open) await client.end()
}

/** Milliseconds until it is ready; null: not within a minute. */
async function worksAgain({ url }: Target): Promise<number | null> {
  const began = performance.now()
  for (; performance.now() - began < 60_000; await sleep(50)) {
    if ((await fetch(`${url}/ready`).catch(() => null))?.ok) return Math.round(performance.now() - began)
  }
  return null
}

/** While a server stops, requests are answered, with 503 or as usual, until it no longer listens. */
async function terminate(target: Target, ask: Asker['ask']): Promise<string[]> {
  const began = performance.now()
  const { statuses, wrong } = await underLoad(ask, async () => {
    await sleep(500)
    await target.stop()
  })
  console.log(JSON.stringify({ phase: 'SIGTERM', statuses, seconds: Math.round((performance.now() - began) / 1000) }))
  // When the server no longer listens, connections are refused.
  return wrong.filter((text) => !text.startsWith('no answer (cut)')).map((text) => `SIGTERM: ${text}`)
}
