import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ProviderError } from '../../../server/providers/errors.ts'
import { exactDownload } from '../../../server/providers/shared/download.ts'
import { createHostGuard } from '../../../server/providers/shared/hostGuard.ts'
import { createHttp, type HttpResponse, type Timeouts } from '../../../server/providers/shared/http.ts'
import { bytesOf, call } from '../../conformance/kit.ts'

const MIB = 1024 * 1024
const SIZE = 48 * MIB + 3
const WHERE = { provider: 'test', operation: 'get' }
const ENDING = 'the end'
const BLOCK = bytesOf(MIB, 7)

type Service = {
  send(signal?: AbortSignal): Promise<HttpResponse>
  /** How many connections were made. */
  connections(): number
}

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
  vi.unstubAllEnvs()
})

/** A server that answers each request by `answer`, without any library that would correct its mistakes. */
async function serve(
  answer: (socket: Socket) => Promise<void>,
  { tls, ...timeouts }: Partial<Timeouts> & { readonly tls?: TlsOptions } = {},
): Promise<Service> {
  const sockets: Socket[] = []
  const accept = (socket: Socket): void => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.on('data', () => void answer(socket))
  }
  const server = (tls ? createTlsServer(tls, accept) : createServer(accept)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const http = createHttp({ emulatorUrl: null, guard: createHostGuard(true), timeouts })
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}/file`
  return {
    send: (signal) => http.send(call(signal), { where: WHERE, method: 'GET', url }),
    connections: () => sockets.length,
  }
}

function signedByItself(): TlsOptions {
  const folder = mkdtempSync(join(tmpdir(), 'skypool-tls-'))
  const [key, crt] = [join(folder, 'key'), join(folder, 'crt')]
  try {
    const request = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
    ]
    execFileSync('openssl', [...request, '-subj', '/CN=test', '-keyout', key, '-out', crt], { stdio: 'ignore' })
    return { key: readFileSync(key), cert: readFileSync(crt) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const head = (length: number): string => `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`

/** Different bytes at each place of the block that they repeat, for `length` bytes. */
async function sendBytes(socket: Socket, length: number): Promise<void> {
  for (let left = length; left > 0 && !socket.destroyed; left -= BLOCK.length) {
    if (!socket.write(BLOCK.subarray(0, left))) await drained(socket)
  }
}

/** Resolves also when it is closed. */
function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      for (const event of ['drain', 'close']) socket.off(event, done)
      resolve()
    }
    for (const event of ['drain', 'close']) socket.on(event, done)
    if (socket.destroyed) done()
  })
}

async function sendLong(socket: Socket, ending = ''): Promise<void> {
  socket.write(head(SIZE))
  await sendBytes(socket, SIZE)
  if (ending !== '') socket.write(ending)
}

const hashOfSent = (): string => {
  const hash = createHash('sha256')
  for (let left = SIZE; left > 0; left -= MIB) hash.update(BLOCK.subarray(0, left))
  return hash.digest('hex')
}

/** The hash of all bytes, and the most chunks that waited for the reader. `rest`: after each chunk. */
async function readAll(response: HttpResponse, rest: () => Promise<unknown>): Promise<{ sum: string; waited: number }> {
  const hash = createHash('sha256')
  const { body } = exactDownload(response, SIZE, WHERE)
  let waited = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    hash.update(chunk)
    waited = Math.max(waited, body.readableLength)
    await rest()
  }
  return { sum: hash.digest('hex'), waited }
}

async function failure(reading: Promise<unknown>): Promise<ProviderError> {
  const error = await reading.catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ProviderError)
  return error as ProviderError
}

const atOnce = async (): Promise<void> => undefined
const inTheNextTurn = (): Promise<void> => new Promise(setImmediate)

describe('a long response', () => {
  it('arrives byte by byte as it was sent, and waits for its reader with little memory', async () => {
    const service = await serve((socket) => sendLong(socket))
    expect((await readAll(await service.send(), atOnce)).sum).toBe(hashOfSent())
    const slow = await readAll(await service.send(), inTheNextTurn)
    expect(slow.sum).toBe(hashOfSent())
    expect(slow.waited).toBeLessThan(20)
  })

  it('arrives in the same way over TLS', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    const service = await serve((socket) => sendLong(socket), { tls: signedByItself() })
    const slow = await readAll(await service.send(), inTheNextTurn)
    expect(slow.sum).toBe(hashOfSent())
    expect(slow.waited).toBeLessThan(20)
  })

  it('does not leave its connection to the next request, which the parser would take for the rest of it', async () => {
    let asked = 0
    const service = await serve(async (socket) => {
      asked += 1
      if (asked === 2) await sendLong(socket)
      else socket.write(`${head(2)}ok`)
    })
    expect(await (await service.send()).text()).toBe('ok')
    expect((await readAll(await service.send(), atOnce)).sum).toBe(hashOfSent())
    expect(service.connections()).toBe(1)
    expect(await (await service.send()).text()).toBe('ok')
    expect(service.connections()).toBe(2)
  })

  it('ends with its announced length, whatever a server sends in addition', async () => {
    const service = await serve((socket) => sendLong(socket, ENDING))
    expect((await readAll(await service.send(), inTheNextTurn)).sum).toBe(hashOfSent())
  })

  it('breaks with Transient when it ends early, and when it stalls', async () => {
    const cut = await serve(async (socket) => {
      socket.write(head(SIZE))
      await sendBytes(socket, SIZE - MIB)
      socket.end()
    })
    expect((await failure(readAll(await cut.send(), atOnce))).code).toBe('Transient')
    const stalled = await serve(
      async (socket) => {
        socket.write(head(SIZE))
        await sendBytes(socket, SIZE - MIB)
      },
      { idleMs: 1_000 },
    )
    expect((await failure(readAll(await stalled.send(), atOnce))).message).toContain('stopped sending')
  })

  it('ends with the call, and closes its connection', async () => {
    const closed: Promise<void>[] = []
    const service = await serve((socket) => {
      closed.push(new Promise((done) => void socket.once('close', () => done())))
      return sendLong(socket)
    })
    const reason = new Error('The reader has gone.')
    const reading = new AbortController()
    let chunks = 0
    const abortLater = async (): Promise<void> => {
      chunks += 1
      if (chunks === 100) reading.abort(reason)
    }
    await expect(readAll(await service.send(reading.signal), abortLater)).rejects.toBe(reason)
    await Promise.all(closed)
    expect(closed).toHaveLength(1)
  })
})
