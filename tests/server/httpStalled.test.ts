import { EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  CONNECTION_RULES,
  type ConnectionDeps,
  guardConnections,
  readUnacknowledged,
} from '../../server/http/connections.ts'
import { createTrust } from '../../server/http/proxies.ts'
import { createDownloadSlots, MAX_DOWNLOADS } from '../../server/rest/download/send.ts'
import { createUser } from '../factories/user.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { openRaw } from '../setup/rawHttp.ts'
import { startUploadsHttp } from '../setup/uploads.ts'

/** Connections that do not go on: readers that do not read, bodies that do not come, and one address with too many. */

describe('a reader', () => {
  const MINUTE = 60_000
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  it('that takes nothing is closed after 45 seconds, and before two minutes', async () => {
    const { open, counted } = world()
    const reader = open({ pending: 512 * 1024 })
    await vi.advanceTimersByTimeAsync(45_000 - 1)
    expect(reader.isReset).toBe(false)
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(reader.isReset).toBe(true)
    expect(counted()).toEqual(['stalledReaders'])
  })

  it('that has nothing to take may wait for as long as it likes', async () => {
    const { open } = world()
    const reader = open({ pending: 0 })
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    expect(reader.isReset).toBe(false)
  })

  it('of 1 KiB a second is served, and one of half of that is not', async () => {
    const { open } = world()
    const [steady, dripping] = [open({ pending: 1 }), open({ pending: 1 })]
    for (let second = 0; second < 180; second += 1) {
      steady._bytesDispatched += 1_100
      dripping._bytesDispatched += 512
      await vi.advanceTimersByTimeAsync(1_000)
    }
    expect([steady.isReset, dripping.isReset]).toEqual([false, true])
  })

  it('whose system takes bytes out of full buffers is served though nothing more can be written', async () => {
    const { open, queued } = world()
    const [honest, deaf] = [open({ pending: 1 }), open({ pending: 1 })]
    queued.set(honest, 4_000_000).set(deaf, 4_000_000)
    for (let second = 0; second < 180; second += 1) {
      queued.set(honest, (queued.get(honest) ?? 0) - 1_100)
      await vi.advanceTimersByTimeAsync(1_000)
    }
    expect([honest.isReset, deaf.isReset]).toEqual([false, true])
  })
})

describe('one address', () => {
  it('has at most 100 connections, and loses one that asks for nothing before a new one is refused', () => {
    const { open, request, counted } = world()
    const first = Array.from({ length: 100 }, () => open({}))
    for (const connection of first.slice(1)) request(connection)
    const other = open({ remoteAddress: '127.0.0.2' })
    const more = open({})
    expect([first[0]?.destroyed, more.destroyed, other.destroyed]).toEqual([true, false, false])
    request(more)
    expect(open({}).destroyed).toBe(true)
    expect(counted()).toEqual(['refusedConnections'])
    first[1]?.destroy()
    expect(open({}).destroyed).toBe(false)
  })

  it('is not counted where it is a trusted proxy', () => {
    const { open, request } = world('127.0.0.0/8')
    const all = Array.from({ length: 300 }, () => open({}))
    for (const connection of all) request(connection)
    expect(all.some(({ destroyed }) => destroyed)).toBe(false)
  })
})

it('proxies are trusted by address, network, mask and name, as Fastify does', () => {
  const trusts = createTrust('10.1.0.0/255.255.0.0, 192.0.2.7, loopback, 2001:db8::/32')
  const asked = [
    '10.1.9.9',
    '10.2.0.1',
    '192.0.2.7',
    '192.0.2.8',
    '::ffff:127.0.0.1',
    '::1',
    '2001:db8::5',
    'fe80::1%lo',
  ]
  expect(asked.filter(trusts)).toEqual(['10.1.9.9', '192.0.2.7', '::ffff:127.0.0.1', '::1', '2001:db8::5'])
  expect([createTrust(true)('8.8.8.8'), createTrust(false)('127.0.0.1')]).toEqual([true, false])
})

it('downloads at once are bounded by user and by network', () => {
  const slots = createDownloadSlots()
  const user = { kind: 'user', id: 'one' } as const
  const ends = Array.from({ length: MAX_DOWNLOADS.user }, () => slots.take(user))
  expect(() => slots.take(user)).toThrow(/64 downloads are running already/)
  slots.take({ kind: 'user', id: 'two' })
  slots.take({ kind: 'network', id: 'one' })
  ends[0]?.()
  slots.take(user)
  for (let taken = 1; taken < MAX_DOWNLOADS.network; taken += 1) slots.take({ kind: 'network', id: 'one' })
  expect(() => slots.take({ kind: 'network', id: 'one' })).toThrow(/32 downloads/)
})

describe('over HTTP', () => {
  const logs: string[] = []
  let http: Awaited<ReturnType<typeof startUploadsHttp>>
  let owner: Browser
  let token: string

  beforeAll(async () => {
    http = await startUploadsHttp(
      { acceptAnyType: true },
      {
        logger: pino({ level: 'trace' }, { write: (line: string) => logs.push(line) }),
        trustProxy: true,
        // A body that drips is never stalled by this rate.
        bodyRate: { checkEveryMs: 20, stallMs: 2_000, minimumBytes: 1, wholeMs: 400 },
        connections: { ...CONNECTION_RULES, checkEveryMs: 20, windowMs: 400 },
      },
    )
    token = (await createUser(http.services.users)).token
    owner = createBrowser(http.url, token)
  })
  afterAll(() => http?.close())

  const upload = async (name: string, bytes: number): Promise<string> => {
    const form = new FormData()
    form.set('file', new File([Buffer.alloc(bytes, 7)], name))
    return (await owner.request('POST', '/api/v1/files', form)).body.id
  }
  /** Asks, reads the head of the answer, and then nothing more. */
  const askOnly = async (path: string, ...headers: string[]): Promise<Socket> => {
    const socket = openRaw(http.port, [`GET ${path} HTTP/1.1`, 'host: 127.0.0.1', ...headers])
    const [head] = await once(socket, 'data')
    socket.pause()
    expect(String(head)).toMatch(/^HTTP\/1.1 200 /)
    return socket
  }

  it('the share that a reader holds without reading is free again', async () => {
    const fileId = await upload('large.bin', 40 * 1024 * 1024)
    const { body: share } = await owner.request('POST', '/api/v1/shares', { fileId, maxDownloads: 1 })
    const path = `/api/v1/shares/${share.id}/download`
    const socket = await askOnly(path)
    const get = () => fetch(http.url + path)
    expect((await get()).status).toBe(409)
    await vi.waitUntil(async () => {
      const { rows } = await http.database.pool.query('select from share_claims')
      return rows.length === 0
    }, 120_000)
    const answer = await get()
    expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([200, 40 * 1024 * 1024])
    socket.destroy()
  })

  it.each(['file', 'archive'])('a %s that is not read is cut, and its connection closed', async (kind) => {
    const id = await upload('other.bin', 40 * 1024 * 1024)
    const path = kind === 'file' ? `/api/v1/files/${id}/download` : `/api/v1/files/archive?ids=${id}`
    const accepted = new Promise<Socket>((resolve) => http.app.server.once('connection', resolve))
    const socket = await askOnly(path, `cookie: sid=${token}`)
    const connection = await accepted
    await vi.waitUntil(() => connection.destroyed, 120_000)
    socket.destroy()
  })

  it('bodies that do not come are answered with 408 and leave no line with a stack in the log', async () => {
    logs.length = 0
    const answers = await Promise.all(
      [
        ['POST /api/v1/auth/login HTTP/1.1', 'content-type: application/json', 'content-length: 900'],
        ['POST /graphql-not HTTP/1.1', 'content-type: application/json', 'content-length: 900'],
        [
          'POST /api/v1/files HTTP/1.1',
          'content-type: multipart/form-data; boundary=x',
          'content-length: 900',
          `cookie: sid=${token}`,
        ],
        ['POST /api/v1/files HTTP/1.1', 'content-type: multipart/form-data; boundary=x', 'content-length: 900'],
      ].map((head) => readAll(openRaw(http.port, [...head, 'host: 127.0.0.1', 'origin: http://127.0.0.1']))),
    )
    expect(answers[0]).toMatch(/^HTTP\/1.1 408 [\s\S]*REQUEST_TIMEOUT/)
    expect(answers[2]).toMatch(/^HTTP\/1.1 408 /)
    expect(logs.filter((line) => /"level":[56]0|stack/.test(line))).toEqual([])
  })

  it.each([
    ['that is wanted', 'origin: http://127.0.0.1', 5_000, 408],
    ['that was refused before it came', 'origin: http://other', 500_000, 403],
  ])('a JSON body %s and drips is ended, however steadily', async (_, origin, length, status) => {
    const socket = connect(http.port, '127.0.0.1')
    socket.on('error', () => undefined)
    const head = ['POST /api/v1/auth/login HTTP/1.1', 'host: 127.0.0.1', origin, 'content-type: application/json']
    socket.write(`${[...head, `content-length: ${length}`].join('\r\n')}\r\n\r\n{`)
    const drip = setInterval(() => socket.write(' '.repeat(20)), 20)
    expect(await readAll(socket)).toContain(`HTTP/1.1 ${status} `)
    clearInterval(drip)
  })

  it('what the system still holds of an answer is read from its tables', async ({ skip }) => {
    if (process.platform !== 'linux') skip('only Linux tells')
    const id = await upload('held.bin', 40 * 1024 * 1024)
    const held = new Promise<Socket>((resolve) => http.app.server.once('connection', resolve))
    const socket = await askOnly(`/api/v1/files/${id}/download`, `cookie: sid=${token}`)
    const server = await held
    await vi.waitUntil(async () => ((await readUnacknowledged([server]))?.get(server) ?? 0) > 0, 120_000)
    socket.destroy()
  })
})

function readAll(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.once('close', () => resolve(text))
  })
}

type Fake = EventEmitter & {
  _bytesDispatched: number
  writableLength: number
  destroyed: boolean
  isReset: boolean
  destroy(): void
}

/** The guard over connections that are none. */
function world(trustProxy: string | false = false) {
  const server = new EventEmitter()
  const counted: string[] = []
  const queued = new Map<Fake, number>()
  const app = { server, log: { warn: () => {} }, addHook: () => {} } as unknown as FastifyInstance
  const unacknowledged = async () => queued as unknown as ReadonlyMap<Socket, number>
  const deps: ConnectionDeps = {
    rules: CONNECTION_RULES,
    trusts: createTrust(trustProxy),
    slow: { count: (event) => void counted.push(event) },
    unacknowledged,
  }
  guardConnections(app, deps)
  return {
    queued,
    counted: () => counted,
    open({ pending = 0, remoteAddress = '127.0.0.1' }): Fake {
      const fake = Object.assign(new EventEmitter(), {
        remoteAddress,
        _bytesDispatched: 5_000_000,
        _handle: { writeQueueSize: pending },
        writableLength: pending,
        destroyed: false,
        isReset: false,
        destroy() {
          fake.destroyed = true
          fake.emit('close')
        },
        resetAndDestroy() {
          fake.isReset = true
          fake.destroy()
        },
      })
      server.emit('connection', fake)
      return fake
    },
    request: (socket: Fake) => void server.emit('request', { socket }, new EventEmitter()),
  }
}
