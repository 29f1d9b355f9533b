import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get as httpGet, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { get as httpsGet } from 'node:https'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'node:tls'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createBlobs } from '../../fakes/core/blobs.ts'
import type { FaultKind } from '../../fakes/core/faults.ts'
import { type Emulators, startEmulators } from '../../fakes/core/server.ts'
import type { Service } from '../../fakes/core/service.ts'
import { startTlsProxy, type TlsProxy } from '../../fakes/core/tlsProxy.ts'

const OBJECT = Buffer.from('0123456789'.repeat(1000))
const received: string[] = []

/** Keeps what it is sent, gives one object, and fails when asked to. */
const service: Service = {
  name: 'tiny',
  hosts: ['tiny.example.org'],
  commands: {
    greet: ({ name }: { name: string }) => ({ greeting: `Hello ${name}` }),
    fail: () => {
      throw new Error('This command fails.')
    },
  },
  async handle(exchange) {
    await exchange.begin(`tiny.${exchange.url.pathname.slice(1)}`, exchange.url.searchParams.get('user'))
    if (exchange.url.pathname === '/object') {
      const headers = { 'Content-Type': 'text/plain' }
      return exchange.sendObject(
        200,
        headers,
        OBJECT.length,
        Readable.from([OBJECT.subarray(0, 5000), OBJECT.subarray(5000)]),
      )
    }
    if (exchange.url.pathname === '/bug') throw new Error('A mistake of the emulator.')
    received.push((await exchange.readBody(20_000)).toString())
    return exchange.sendJson(200, { address: exchange.url.href })
  },
}

let emulators: Emulators
beforeAll(async () => {
  emulators = await startEmulators({ services: [service] })
})
afterAll(() => emulators.close())
beforeEach(() => {
  emulators.clearFaults()
  emulators.resetLog()
  received.length = 0
})

const at = (path: string): string => `${emulators.url}/@tiny.example.org${path}`
const send = (path: string, body = 'hello') => fetch(at(path), { method: 'POST', body, redirect: 'manual' })
const read = async () => Buffer.from(await (await fetch(at('/object'))).arrayBuffer())
const control = async (method: string, path: string, body?: unknown) => {
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) }
  const response = await fetch(`${emulators.url}${path}`, init)
  return { status: response.status, json: await response.json() }
}

/** The bytes of the body as they come, packed or not. */
async function rawGet(address: string, options: RequestOptions = {}): Promise<Buffer> {
  const open = address.startsWith('https:') ? httpsGet : httpGet
  const [response] = (await once(open(address, options), 'response')) as [IncomingMessage]
  return Buffer.concat(await response.toArray())
}

/** A connection through the proxy to a host that it stands in for. */
async function tunnel(proxy: TlsProxy, host: string): Promise<RequestOptions> {
  const asking = httpRequest(proxy.url, { method: 'CONNECT', path: `${host}:443`, agent: false }).end()
  const [answer, socket] = (await once(asking, 'connect')) as [IncomingMessage, Socket]
  if (answer.statusCode !== 200) throw new Error(`The proxy answers ${answer.statusCode}.`)
  const secure = connect({ socket, servername: host, ca: readFileSync(proxy.caFile) })
  await once(secure, 'secureConnect')
  return { createConnection: () => secure }
}

describe('emulators', () => {
  it('show a service the address of the real one, and log the call', async () => {
    expect(await (await send('/keep?user=ann&x=1')).json()).toEqual({
      address: 'https://tiny.example.org/keep?user=ann&x=1',
    })
    expect(emulators.log()).toMatchObject([
      {
        service: 'tiny',
        operation: 'tiny.keep',
        user: 'ann',
        method: 'POST',
        host: 'tiny.example.org',
        path: '/keep?user=ann&x=1',
        status: 200,
        bytesIn: 5,
        faults: [],
      },
    ])
  })

  it('answer for no other host, and tell their own mistakes', async () => {
    expect((await fetch(`${emulators.url}/@other.example.org/`)).status).toBe(502)
    expect((await send('/bug')).status).toBe(500)
    expect(emulators.log()[0]?.bug).toContain('A mistake of the emulator.')
    expect((await send('/keep', 'x'.repeat(20_001))).status).toBe(413)
  })

  it('are told over HTTP what to do', async () => {
    expect(await control('POST', '/__control/tiny/greet', { name: 'Ann' })).toEqual({
      status: 200,
      json: { greeting: 'Hello Ann' },
    })
    expect(await control('POST', '/__control/tiny/fail', {})).toEqual({
      status: 400,
      json: { error: 'This command fails.' },
    })
    expect((await control('POST', '/__control/tiny/toString', {})).status).toBe(400)
    expect((await control('POST', '/__control/nobody/greet', {})).status).toBe(404)
    expect((await control('POST', '/__fault', { kind: 'thunder' })).status).toBe(400)
    expect((await control('POST', '/__fault', { kind: 'html' })).status).toBe(200)
    expect((await control('GET', '/__fault')).json).toEqual([{ kind: 'html' }])
    expect((await control('DELETE', '/__fault')).status).toBe(200)
    await send('/keep')
    expect((await control('GET', '/__log')).json).toHaveLength(1)
    expect((await control('DELETE', '/__log')).status).toBe(200)
    expect((await control('GET', '/__log')).json).toEqual([])
    expect((await control('GET', '/')).json).toMatchObject({
      services: [{ name: 'tiny', commands: ['greet', 'fail'] }],
    })
  })

  it('end when closed, though somebody waits', async () => {
    const own = await startEmulators({ services: [service] })
    own.plan({ kind: 'blackhole' })
    const waiting = fetch(`${own.url}/@tiny.example.org/keep`, { method: 'POST', body: 'x' })
    waiting.catch(() => undefined)
    await sleep(50)
    await own.close()
    await expect(waiting).rejects.toThrow()
  })
})

describe('planned faults', () => {
  it('hit who and what they are for, as often as said, after as many as said', async () => {
    emulators.plan({ kind: 'html', operation: 'tiny.k*', user: 'ann', after: 1, count: 2, service: 'tiny' })
    emulators.plan({ kind: 'html', service: 'huge' })
    const types: (string | null)[] = []
    for (const path of [
      '/keep?user=ben',
      '/other?user=ann',
      '/keep?user=ann',
      '/keep?user=ann',
      '/keep?user=ann',
      '/keep?user=ann',
    ]) {
      types.push((await send(path)).headers.get('content-type')?.split(';')[0] ?? null)
    }
    const [page, json] = ['text/html', 'application/json']
    expect(types).toEqual([json, json, json, page, page, json])
  })

  it.each<FaultKind>(['refuse', 'reset'])('%s ends the connection before anything is done', async (kind) => {
    emulators.plan({ kind })
    await expect(send('/keep')).rejects.toThrow()
    expect(received).toEqual([])
    expect(emulators.log()).toMatchObject([{ status: 0, faults: [kind] }])
  })

  it('cutUp and lostReply end it in the middle and at the end', async () => {
    emulators.plan({ kind: 'cutUp', bytes: 3 })
    await expect(send('/keep')).rejects.toThrow()
    expect([received, emulators.log()[0]?.bytesIn]).toEqual([[], 3])
    emulators.plan({ kind: 'lostReply' })
    await expect(send('/keep')).rejects.toThrow()
    expect(received).toEqual(['hello'])
  })

  it('cutDown, shortBody and flip spoil what is read', async () => {
    emulators.plan({ kind: 'cutDown', bytes: 6000 })
    await expect(read()).rejects.toThrow()
    expect(emulators.log()[0]?.bytesOut).toBe(6000)
    emulators.plan({ kind: 'shortBody' })
    await expect(read()).rejects.toThrow()
    emulators.plan({ kind: 'shortBody', bytes: 10, agreeing: true })
    expect(await read()).toEqual(OBJECT.subarray(0, -10))
    emulators.plan({ kind: 'flip' })
    const flipped = await read()
    expect([flipped.length, [...flipped].findIndex((byte, index) => byte !== OBJECT[index])]).toEqual([10_000, 5000])
    expect(await read()).toEqual(OBJECT)
  })

  it('gzip packs what nobody asked to be packed', async () => {
    emulators.plan({ kind: 'gzip' })
    expect(gunzipSync(await rawGet(at('/object')))).toEqual(OBJECT)
  })

  it('delay, skew and redirect do as they say', async () => {
    emulators.plan({ kind: 'delay', ms: 60 })
    const before = performance.now()
    await send('/keep')
    expect(performance.now() - before).toBeGreaterThan(50)
    emulators.plan({ kind: 'skew', ms: -3_600_000 })
    expect(Date.now() - Date.parse((await send('/keep')).headers.get('date') ?? '')).toBeGreaterThan(3_500_000)
    emulators.plan({ kind: 'redirect', location: 'https://evil.example.org/' })
    const answer = await send('/keep')
    expect([answer.status, answer.headers.get('location')]).toEqual([302, 'https://evil.example.org/'])
    expect(received).toHaveLength(2)
  })

  it('blackhole answers nothing until the client goes', async () => {
    emulators.plan({ kind: 'blackhole' })
    await expect(fetch(at('/keep'), { method: 'POST', body: 'x', signal: AbortSignal.timeout(50) })).rejects.toThrow(
      /abort|time/i,
    )
  })
})

describe('the bandwidth of a user', () => {
  it('is shared by both directions, and nobody else’s', async () => {
    emulators.throttle('tiny', 'slow', 100_000)
    const time = async (user: string) => {
      const before = performance.now()
      await Promise.all([
        send(`/keep?user=${user}`, 'x'.repeat(10_000)),
        fetch(at(`/object?user=${user}`)).then((one) => one.arrayBuffer()),
      ])
      return performance.now() - before
    }
    const [slow, fast] = [await time('slow'), await time('fast')]
    expect(slow).toBeGreaterThan(130)
    expect(fast).toBeLessThan(slow / 2)
    await control('POST', '/__control/tiny/throttle', { user: 'slow', bytesPerSecond: null })
    expect(await time('slow')).toBeLessThan(slow / 2)
  })
})

describe('blobs', () => {
  it('grow over into a file and are read from anywhere', async () => {
    const blobs = createBlobs()
    const blob = blobs.create()
    const part = Buffer.alloc(400_000, 'abc')
    for (let count = 0; count < 4; count += 1) await blob.append(part)
    const whole = Buffer.concat([part, part, part, part])
    const all = async (start?: number, end?: number) => Buffer.concat(await blob.read(start, end).toArray())
    expect((await all()).equals(whole)).toBe(true)
    expect((await all(1_000_000, 1_000_010)).equals(whole.subarray(1_000_000, 1_000_010))).toBe(true)
    await blob.remove()
    await blobs.close()
  })
})

describe.skipIf(spawnSync('openssl', ['version']).status !== 0)('the TLS proxy', () => {
  it('brings what is meant for the real host to the emulator, and for no other host', async () => {
    const proxy = await startTlsProxy(emulators.url, service.hosts)
    const address = 'https://tiny.example.org/object'
    expect(await rawGet(address, await tunnel(proxy, 'tiny.example.org'))).toEqual(OBJECT)
    emulators.plan({ kind: 'cutDown', bytes: 100 })
    await expect(rawGet(address, await tunnel(proxy, 'tiny.example.org'))).rejects.toThrow()
    await expect(tunnel(proxy, 'other.example.org')).rejects.toThrow('403')
    await proxy.close()
  })
})
