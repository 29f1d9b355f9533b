import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../crashTest/random.ts'
import { watchHealth } from './probe.ts'
import { startTarget } from './target.ts'
import { type Asker, signUp } from './world.ts'

const ADDRESSES = Array.from({ length: 20 }, (_, index) => `127.0.0.${index + 11}`)
/** Per address: 50 that never read, 50 that never send. */
const READERS = { share: 25, file: 15, archive: 10 } as const
const SENDERS = { login: 20, multipart: 10, tus: 10, headers: 10 } as const
const FILE_BYTES = 48 * 1024 * 1024
/** Downloads by link that all 20 networks may run at the same time. */
const FEWEST_READERS = 450
const CLOSED_WITHIN_MS = 120_000
const GIVE_UP_MS = 180_000
const MEMORY_RELEASE_MS = 120_000
const MIB = 1024 * 1024

/**
 * `npm run hostile -- --stalled`: 1,000 readers that never read and 1,000 senders that never send, from 20 addresses. All must be
 * closed within 120 s, other clients served meanwhile, the limited share available again, and memory released. @returns what is wrong
 */
export async function attackStalled(dataDir: string): Promise<string[]> {
  const target = await startTarget(dataDir, { TRUST_PROXY: '' })
  try {
    const owner = await signUp(target.url, createRandom(7))
    const world = await prepare(owner)
    for (let turn = 0; turn < 8; turn += 1) await (await fetch(`${target.url}${world.share}`)).arrayBuffer()
    await sleep(5_000)
    const before = residentBytes(target.pid)
    const port = Number(new URL(target.url).port)
    const health = watchHealth(target.url, { path: '/api/v1/files', headers: { cookie: owner.cookie } })
    const began = performance.now()
    const statuses: Record<string, number> = {}
    const sockets = await openAll(port, owner.cookie, world, statuses)
    const openedMs = performance.now() - began
    const most = stalledConnections(port)
    let peak = 0
    while (stalledConnections(port) > 0 && performance.now() - began < GIVE_UP_MS) {
      peak = Math.max(peak, residentBytes(target.pid))
      await sleep(250)
    }
    const closedMs = performance.now() - began - openedMs
    const left = stalledConnections(port)
    const served = await health.stop()
    for (const socket of sockets) socket.destroy()
    const limited = await fetch(`${target.url}${world.limited}`)
    const limitedBytes = (await limited.arrayBuffer()).byteLength
    // Other requests continue meanwhile, as in production: an idle process runs no garbage collection.
    const later = watchHealth(target.url, { path: '/api/v1/files', headers: { cookie: owner.cookie } })
    const after = await releasedBytes(target.pid, before + 50 * MIB)
    await later.stop()
    const megabytes = (bytes: number) => Math.round(bytes / MIB)
    const memory = { before: megabytes(before), peak: megabytes(peak), after: megabytes(after) }
    const logged = target.failures().length
    console.log(
      JSON.stringify({
        opened: sockets.length,
        statuses,
        accepted: most,
        closedSeconds: Math.round(closedMs / 1000),
        left,
        served,
        memory,
        limited: limited.status,
        logged,
      }),
    )
    return [
      ...((statuses['200'] ?? 0) < FEWEST_READERS ? ['too few downloads began'] : []),
      ...(left > 0 || closedMs > CLOSED_WITHIN_MS
        ? [`${left} connections are open after ${Math.round(closedMs / 1000)} s`]
        : []),
      ...(served.failed > 0 || served.p99Ms > 500 ? [`others: ${served.failed} failed, p99 ${served.p99Ms} ms`] : []),
      ...(limited.status !== 200 || limitedBytes !== FILE_BYTES ? [`the limited share answers ${limited.status}`] : []),
      ...(after > before + 50 * MIB ? [`memory: ${memory.before} MiB before, ${memory.after} MiB after`] : []),
      ...(logged > 0 ? [`${logged} errors were logged: ${target.failures()[0]}`] : []),
    ]
  } finally {
    await target.stop()
  }
}

type World = Readonly<Record<'share' | 'limited' | 'file' | 'archive', string>>

async function prepare({ ask }: Asker): Promise<World> {
  const form = new FormData()
  form.set('file', new File([Buffer.alloc(FILE_BYTES, 3)], 'large.bin'))
  const { id: fileId } = JSON.parse((await ask('POST', '/api/v1/files', form)).text)
  const share = async (settings: object) => {
    const { id } = JSON.parse((await ask('POST', '/api/v1/shares', { fileId, ...settings })).text)
    return `/api/v1/shares/${id}/download`
  }
  const file = `/api/v1/files/${fileId}/download`
  return {
    share: await share({}),
    limited: await share({ maxDownloads: 1 }),
    file,
    archive: `/api/v1/files/archive?ids=${fileId}`,
  }
}

async function openAll(
  port: number,
  cookie: string,
  world: World,
  statuses: Record<string, number>,
): Promise<Socket[]> {
  const sockets: Socket[] = []
  const host = `host: 127.0.0.1:${port}`
  const open = (localAddress: string, ...lines: readonly string[]) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    socket.on('error', () => undefined)
    // The head of the response, and nothing after it.
    socket.once('data', (chunk) => {
      socket.pause()
      const status = String(chunk).slice(9, 12)
      statuses[status] = (statuses[status] ?? 0) + 1
    })
    socket.write(`${lines.join('\r\n')}\r\n`)
    sockets.push(socket)
  }
  const get = (address: string, path: string, ...more: string[]) =>
    open(address, `GET ${path} HTTP/1.1`, host, ...more, '')
  const send = (address: string, method: string, path: string, ...more: string[]) =>
    open(
      address,
      `${method} ${path} HTTP/1.1`,
      host,
      `origin: http://127.0.0.1:${port}`,
      `content-length: ${path.endsWith('login') ? 900 : 100_000}`,
      ...more,
      '',
    )
  const signedIn = `cookie: ${cookie}`
  // The one download that the limited share allows.
  get(ADDRESSES[0] ?? '', world.limited)
  await sleep(500)
  for (const [index, address] of ADDRESSES.entries()) {
    for (let count = index === 0 ? 1 : 0; count < READERS.share; count += 1) get(address, world.share)
    for (let count = 0; count < READERS.file; count += 1) get(address, world.file, signedIn)
    for (let count = 0; count < READERS.archive; count += 1) get(address, world.archive, signedIn)
    for (let count = 0; count < SENDERS.login; count += 1)
      send(address, 'POST', '/api/v1/auth/login', 'content-type: application/json')
    for (let count = 0; count < SENDERS.multipart; count += 1)
      send(address, 'POST', '/api/v1/files', signedIn, 'content-type: multipart/form-data; boundary=x')
    for (let count = 0; count < SENDERS.tus; count += 1)
      send(
        address,
        'POST',
        '/api/v1/uploads',
        signedIn,
        'content-type: application/offset+octet-stream',
        'tus-resumable: 1.0.0',
        'upload-length: 100000',
        `upload-metadata: filename ${Buffer.from(`${index}.bin`).toString('base64')}`,
      )
    for (let count = 0; count < SENDERS.headers; count += 1) open(address, 'GET / HTTP/1.1', host)
    // All within about ten seconds.
    await sleep(500)
  }
  return sockets
}

/** Connections of the attackers on the server's side, as the system reports them. */
function stalledConnections(port: number): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const remote = ADDRESSES.map((address) =>
    address
      .split('.')
      .toReversed()
      .map((byte) => Number(byte).toString(16).toUpperCase().padStart(2, '0'))
      .join(''),
  )
  const rows = readFileSync('/proc/self/net/tcp', 'latin1')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
  return rows.filter(
    ([, from = '', to = '', state]) =>
      from.endsWith(local) && remote.includes(to.split(':')[0] ?? '') && state === '01',
  ).length
}

function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) * 1024
}

/** The lowest size within the limit of time; memory is released when the garbage collector runs. */
async function releasedBytes(pid: number, enough: number): Promise<number> {
  let least = residentBytes(pid)
  for (const until = Date.now() + MEMORY_RELEASE_MS; least > enough && Date.now() < until; await sleep(1_000)) {
    least = Math.min(least, residentBytes(pid))
  }
  return least
}
