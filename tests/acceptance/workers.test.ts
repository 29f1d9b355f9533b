import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createBrowser } from '../setup/browser.ts'
import { until } from './support/person.ts'
import { type ServerProcess, startProcess } from './support/process.ts'

/** One command with WORKERS=3: a supervisor with the embedded database, and three servers behind one port. */
const WORKERS = 3
let server: ServerProcess

beforeAll(async () => {
  server = await startProcess('http://127.0.0.1:9', { WORKERS: String(WORKERS), LOG_LEVEL: 'info' })
  await until(
    async () => servers().length,
    (count) => count === WORKERS,
  )
}, 600_000)
afterAll(() => server?.close())

const PERSON = { fullName: 'Ada Lovelace', email: 'ada@example.org', password: 'correct horse battery' }

type Process = { readonly pid: number; readonly parent: number; readonly command: string }

function processes(): Process[] {
  return execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => {
      const [, pid, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
      return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }]
    })
}

const servers = () =>
  processes().flatMap(({ pid, parent, command }) =>
    parent === server.pid() && command.includes('main.cjs') ? [pid] : [],
  )

/** The processes that hold these connections, by the connections' ports. */
function holdersOf(sockets: readonly Socket[]): number[] {
  const ports = new Set(sockets.map(({ localPort }) => localPort))
  const text = execFileSync('ss', ['-Htnp', 'state', 'established'], { encoding: 'utf8' })
  return text.split('\n').flatMap((line) => {
    const port = Number(/:(\d+)\s+users/.exec(line)?.[1])
    const pid = Number(/pid=(\d+)/.exec(line)?.[1])
    return ports.has(port) && servers().includes(pid) ? [pid] : []
  })
}

const hasSs = (() => {
  try {
    execFileSync('ss', ['-V'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

it('every process answers for the same users, and each is a server of its own', async () => {
  const ada = createBrowser(server.url)
  expect((await ada.request('POST', '/api/v1/auth/register', PERSON)).status).toBe(201)
  for (let index = 0; index < 4 * WORKERS; index += 1) {
    // Each on a connection of its own.
    const { body } = await ada.request('GET', '/api/v1/auth/me', undefined, { connection: 'close' })
    expect(body.email).toBe(PERSON.email)
  }
  const ids = new Set(
    [...server.output().matchAll(/"server":"([0-9a-f-]{36})","msg":"Skypool is ready"/g)].map(([, id]) => id),
  )
  expect(ids.size).toBe(WORKERS)
})

it.runIf(hasSs)('connections are given to them in turn', async () => {
  const { hostname, port } = new URL(server.url)
  const sockets: Socket[] = []
  for (let index = 0; index < 10 * WORKERS; index += 1) {
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    sockets.push(socket)
    socket.write('GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    await once(socket, 'data')
  }
  const holders = holdersOf(sockets)
  const counts = servers().map((pid) => holders.filter((holder) => holder === pid).length)
  console.info(JSON.stringify({ connections: counts }))
  expect(counts).toEqual(Array.from({ length: WORKERS }, () => 10))
  for (const socket of sockets) socket.destroy()
})

it.runIf(process.platform === 'linux')('the supervisor does not load the server', () => {
  const memory = (pid: number) =>
    Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1024
  const [supervisor, ...all] = [server.pid(), ...servers()].map(memory)
  console.info(JSON.stringify({ supervisorMiB: supervisor, serversMiB: all }))
  expect(supervisor).toBeLessThan(Math.min(...all) / 1.5)
})

it('one that is killed is started again, and the others keep answering', async () => {
  const before = servers()
  const [victim = 0] = before
  process.kill(victim, 'SIGKILL')
  const answers = await Promise.all(
    Array.from({ length: 30 }, async () => {
      // A connection that the victim had is lost; a new one reaches another process.
      for (let left = 2; ; left -= 1) {
        const answer = await fetch(`${server.url}/health`, { headers: { connection: 'close' } }).catch(() => null)
        if (answer || left === 0) return answer?.status
      }
    }),
  )
  expect(new Set(answers)).toEqual(new Set([200]))
  await until(
    async () => servers(),
    (now) => now.length === WORKERS && !now.includes(victim),
  )
  expect(servers().filter((pid) => before.includes(pid))).toHaveLength(WORKERS - 1)
  await until(
    async () => server.output(),
    (text) => text.includes('A server ended and is started again'),
  )
})

it('SIGTERM lets requests end in every process, refuses new ones, and ends all', async () => {
  const { hostname, port } = new URL(server.url)
  const body = JSON.stringify({ email: 'nobody@example.org', password: 'no such password' })
  const head = ['POST /api/v1/auth/login HTTP/1.1', `Host: ${hostname}:${port}`, 'Content-Type: application/json']
  const busy = await Promise.all(
    Array.from({ length: WORKERS }, async () => {
      const socket = connect(Number(port), hostname)
      await once(socket, 'connect')
      socket.write(`${[...head, `Content-Length: ${body.length}`, '', ''].join('\r\n')}${body.slice(0, 10)}`)
      return socket
    }),
  )
  // The requests before it have come to their processes.
  await fetch(`${server.url}/health`)
  const all = servers()
  const ended = server.terminate()
  await until(
    async () => (await fetch(`${server.url}/ready`)).status,
    (status) => status === 503,
  )
  const answers = busy.map(async (socket) => {
    const answer = once(socket, 'data')
    socket.write(body.slice(10))
    return String((await answer)[0]).slice(0, 12)
  })
  expect(await Promise.all(answers)).toEqual(Array.from({ length: WORKERS }, () => 'HTTP/1.1 401'))
  for (const socket of busy) socket.destroy()
  expect(await ended).toBe(0)
  expect(processes().filter(({ pid }) => all.includes(pid))).toEqual([])
})

it('settings that are wrong are said once, and a start that cannot succeed ends', async () => {
  const run = (env: Record<string, string>) =>
    startProcess('http://127.0.0.1:9', { WORKERS: '2', ...env }).then(
      () => 'started',
      (error: Error) => error.message,
    )
  const wrong = await run({ WORKERS: 'many' })
  expect(wrong).toContain('WORKERS must be auto or a whole number from 1 to 64. It is "many".')
  const key = '0123456789abcdef0123456789abcdef'
  expect(await run({ HOST: 'nowhere.invalid', SECRET_KEY: key })).toContain('The servers could not be started.')
})
